import type { Batch } from '../batch/batch.ts';
import { isServiceFault, type JobRecord } from '../job/job.ts';
import type { JobRequests } from '../job/job-requests.ts';
import type { Refund } from './charge.ts';
import { dayOf } from './quota.ts';

/**
 * What a batch took for jobs that failed by our fault, for the day it took them from; null when there
 * are none. Also when that day is over: its books are then right. The day on which the batch ends gets
 * nothing, for nothing was taken from it; a retry then counts against its own, whole day.
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
