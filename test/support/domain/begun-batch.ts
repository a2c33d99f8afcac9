import type { Stores } from '../../../lambdas/adapters/dynamodb/stores.ts';
import type { JobError } from '../../../lambdas/domain/job/job.ts';
import { aBatch, aPlannedJob } from './builders.ts';

export const AT = '2026-03-01T10:00:00.000Z';
export const LATER = '2026-03-01T10:00:05.000Z';

export const INTERNAL: JobError = { code: 'internal', message: 'ours', location: null };

export async function createBatch(batches: Stores['batches']) {
  const batch = aBatch();
  await batches.create(batch, null);
  return batch;
}

/** Creates a batch whose job 0 is processing. @returns the stores and the batch ID */
export async function beginBatch(stores: Stores) {
  const { batch_id: batchId } = await createBatch(stores.batches);
  await stores.jobs.begin(batchId, 0, aPlannedJob(), AT);
  return { ...stores, batchId };
}
