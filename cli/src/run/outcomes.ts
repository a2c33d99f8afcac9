import type { Job, SoilClient } from 'soil-batch-client';
import { allBatches } from './batches.ts';
import type { Run } from './run.ts';

/** The newest job of the service for one job of the run, and the batch that has it. */
export interface Outcome {
  readonly batchId: string;
  readonly job: Job;
}

/**
 * What became of each job of the run, by its index. A retried job replaces its predecessor. Jobs that no
 * batch contains are absent.
 */
export async function readOutcomes(
  client: SoilClient,
  run: Run,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  const indexes = new Map<string, number>();
  for (const { id: batchId, chunk } of allBatches(run.state)) {
    for await (const job of client.batch(batchId).jobs({ signal })) {
      const before = job.retry_of_job_id;
      const index = before === undefined ? chunk.first_job + job.job_index : indexes.get(before);
      if (index === undefined) continue;
      indexes.set(job.job_id, index);
      outcomes.set(index, { batchId, job });
    }
  }
  return outcomes;
}
