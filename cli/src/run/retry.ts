import type { Job, RetryBatch, SoilClient } from 'soil-batch-client';
import { latestBatches, withBatches } from './batches.ts';
import { isDeleted, type Outcomes } from './outcomes.ts';
import type { Run } from './run.ts';

/** Which failed jobs run again: all, or only those that may succeed. */
export type RetrySelection = NonNullable<RetryBatch['only']>;

export interface Retrying {
  readonly client: SoilClient;
  readonly run: Run;
  readonly outcomes: Outcomes;
  readonly only: RetrySelection;
  readonly signal: AbortSignal;
  readonly onRetried: (batchId: string, jobs: number) => void;
}

/**
 * Retries the newest batch of each chunk that has such jobs. Interrupted between request and response, it
 * sends the same request again, for which the service returns the same batch.
 * @returns how many jobs run again
 */
export async function retryFailed(retrying: Retrying): Promise<number> {
  const { client, run, outcomes, only, signal, onRetried } = retrying;
  // The run no longer has jobs whose fields have changed since.
  const ofRun = new Set([...outcomes.jobs.values()].map(({ job }) => job.job_id));
  let retried = 0;
  for (const { id, chunkIndex } of latestBatches(run.state)) {
    const failed = await failedJobs(retrying, id);
    const wanted = failed.filter(({ job_id }) => ofRun.has(job_id));
    if (wanted.length === 0) continue;
    const some = wanted.map(({ job_index }) => job_index);
    const selection = wanted.length === failed.length ? { only } : { only, jobs: some };
    const { retried: created } = await client.batch(id).retry(selection, { signal });
    const { batch_id, total_jobs } = created;
    await run.update((state) =>
      withBatches(state, chunkIndex, (batches) => [...batches, { kind: 'retry', batch_id }]),
    );
    onRetried(batch_id, total_jobs);
    retried += total_jobs;
  }
  return retried;
}

/** Those of the selection; none of a batch that has expired. */
async function failedJobs({ client, only, signal }: Retrying, id: string): Promise<readonly Job[]> {
  const failed: Job[] = [];
  try {
    for await (const job of client.batch(id).jobs({ status: 'failed', signal })) {
      if (only === 'failed' || job.error_retryable === true) failed.push(job);
    }
  } catch (error) {
    if (!isDeleted(error)) throw error;
  }
  return failed;
}
