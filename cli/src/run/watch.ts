import type { BatchStatus, SoilClient } from 'soil-batch-client';
import type { Terminal } from '../terminal/terminal.ts';
import { latestBatches } from './batches.ts';
import { isDeleted } from './outcomes.ts';
import type { Run } from './run.ts';

export interface Following {
  readonly client: SoilClient;
  readonly run: Run;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Waits until every batch that the run has so far is final, and shows the progress. */
export async function watchBatches(following: Following): Promise<readonly BatchStatus[]> {
  const { client, run, terminal, signal } = following;
  const ids = latestBatches(run.state).map(({ id }) => id);
  const latest = new Map<string, BatchStatus>();
  const bar = terminal.bar('Predicting', 1);
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  const watchOne = async (id: string) => {
    for await (const status of client.batch(id).progress({ signal: stop })) {
      latest.set(id, status);
      terminal.report(progressEvent(status), []);
      const all = [...latest.values()];
      bar.update(sum(all, ({ progress }) => progress) / ids.length, textOf(all));
    }
  };
  try {
    await Promise.all(
      ids.map((id) =>
        watchOne(id).catch((error: unknown) => {
          // An expired batch is as final as one can be.
          if (!isDeleted(error)) throw error;
        }),
      ),
    );
  } catch (error) {
    // The other loops end too, or they would keep the process running.
    failure.abort(error);
    throw error;
  } finally {
    bar.stop();
  }
  return [...latest.values()];
}

function progressEvent(status: BatchStatus) {
  return {
    event: 'progress',
    batch_id: status.batch_id,
    status: status.status,
    progress: status.progress,
    total_jobs: status.total_jobs,
    completed_jobs: status.completed_jobs,
    failed_jobs: status.failed_jobs,
    estimated_completion: status.estimated_completion_range,
  };
}

function textOf(all: readonly BatchStatus[]): string {
  const done = sum(all, ({ completed_jobs }) => completed_jobs);
  const failed = sum(all, ({ failed_jobs }) => failed_jobs);
  const total = sum(all, ({ total_jobs }) => total_jobs);
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  return `${done} of ${total} jobs${failures}`;
}

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
