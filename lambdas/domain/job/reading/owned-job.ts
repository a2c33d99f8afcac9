import type { Batch } from '../../batch/batch.ts';
import type { BatchStore } from '../../batch/batch-store.ts';
import { ownedBatch } from '../../batch/owned-batch.ts';
import type { Clock } from '../../clock.ts';
import { jobIndexOf } from '../../identity.ts';

export type JobLookup =
  | { readonly kind: 'batch-unknown' }
  | { readonly kind: 'job-unknown' }
  | { readonly kind: 'found'; readonly batch: Batch; readonly jobIndex: number };

/** Finds the tenant's job without reading its item. */
export async function ownedJob(
  ports: { readonly batches: Pick<BatchStore, 'read'>; readonly clock: Clock },
  tenant: string,
  batchId: string,
  jobId: string,
): Promise<JobLookup> {
  const batch = await ownedBatch(ports, tenant, batchId);
  if (batch === null) return { kind: 'batch-unknown' };
  const jobIndex = jobIndexOf(batch.batchId, jobId, batch.totalJobs);
  return jobIndex === null ? { kind: 'job-unknown' } : { kind: 'found', batch, jobIndex };
}
