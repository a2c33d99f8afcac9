import type { Batch } from '../batch/batch.ts';
import { isServiceFault, type JobRecord } from '../job/job.ts';
import type { JobRequests } from '../job/job-requests.ts';
import type { Refund } from './charge.ts';
import { dayOf } from './quota.ts';

/**
 * The refund for jobs that failed by a fault of the service, or null if there are none. It is credited
 * to the day that was charged, even if that day is over. A retry is charged to its own day.
 */
export async function refundFor(
  { jobRequests }: { readonly jobRequests: Pick<JobRequests, 'entries'> },
  { batchId, tenant, createdAt }: Batch,
  jobs: readonly JobRecord[],
): Promise<Refund | null> {
  const ours = jobs.filter(
    ({ state }) => state.status === 'failed' && isServiceFault(state.error.code),
  );
  if (ours.length === 0) return null;
  const entries = await jobRequests.entries(batchId);
  const squareMetres = ours.reduce(
    (sum, { index }) => sum + (entries[index]?.chargedSquareMetres ?? 0),
    0,
  );
  return { tenant, day: dayOf(createdAt), amount: { jobs: ours.length, squareMetres } };
}
