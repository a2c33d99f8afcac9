import type { RetryBatch, SoilClient } from 'soil-batch-client';
import { latestBatches, withBatches } from './batches.ts';
import type { Run } from './run.ts';

/** Which failed jobs run again: all, or only those that may succeed. */
export type RetrySelection = NonNullable<RetryBatch['only']>;

export interface Retrying {
  readonly client: SoilClient;
  readonly run: Run;
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
  const { client, run, only, signal, onRetried } = retrying;
  let retried = 0;
  for (const { id, chunkIndex } of latestBatches(run.state)) {
    if (!(await hasFailed(retrying, id))) continue;
    const { retried: created } = await client.batch(id).retry({ only }, { signal });
    const { batch_id, total_jobs } = created;
    await run.update((state) =>
      withBatches(state, chunkIndex, (batches) => [...batches, { kind: 'retry', batch_id }]),
    );
    onRetried(batch_id, total_jobs);
    retried += total_jobs;
  }
  return retried;
}

async function hasFailed({ client, only, signal }: Retrying, id: string): Promise<boolean> {
  for await (const job of client.batch(id).jobs({ status: 'failed', signal })) {
    if (only === 'failed' || job.error_retryable === true) return true;
  }
  return false;
}
