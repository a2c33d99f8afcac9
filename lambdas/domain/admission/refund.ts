import type { Batch } from '../batch/batch.ts';
import { isServiceFault, type JobErrorCode, type JobRecord } from '../job/job.ts';
import type { JobRequests } from '../job/job-requests.ts';
import type { Refund } from './charge.ts';
import { type Amount, dayOf } from './quota.ts';

/**
 * The refund for jobs that failed by a fault of the service, or were cancelled before they were planned;
 * null if there are none. It is credited to the day that was charged, even if that day is over. A retry
 * is charged to its own day.
 */
export async function refundFor(
  { jobRequests }: { readonly jobRequests: Pick<JobRequests, 'entries'> },
  { batchId, tenant, createdAt }: Batch,
  jobs: readonly JobRecord[],
): Promise<Refund | null> {
  const ours = jobs.filter((job) => failedWith(job, isServiceFault));
  const unplanned = jobs.filter(
    (job) => job.model === null && failedWith(job, (code) => code === 'cancelled'),
  );
  if (ours.length + unplanned.length === 0) return null;
  const entries = await jobRequests.entries(batchId);
  const chargeOf = (of: readonly JobRecord[]): Amount => ({
    jobs: of.length,
    squareMetres: of.reduce(
      (sum, { index }) => sum + (entries[index]?.chargedSquareMetres ?? 0),
      0,
    ),
  });
  return {
    tenant,
    day: dayOf(createdAt),
    amount: chargeOf(ours),
    cancelled: chargeOf(unplanned),
  };
}

function failedWith({ state }: JobRecord, matches: (code: JobErrorCode) => boolean): boolean {
  return state.status === 'failed' && matches(state.error.code);
}
