import type { Batch } from '../batch/batch.ts';
import type { Timestamp } from '../clock.ts';
import { isOurFault, type JobRecord } from '../job/job.ts';
import type { JobRequests } from '../job/job-requests.ts';
import type { GiveBack } from './claim.ts';
import { dayOf } from './quota.ts';

/**
 * What a batch took for jobs that failed by our fault. Null when there are none, and when the day
 * it took them from is over: nothing can be asked for on that day any more.
 */
export async function givenBack(
  { jobRequests }: { readonly jobRequests: Pick<JobRequests, 'entries'> },
  { batchId, tenant, createdAt }: Batch,
  jobs: readonly JobRecord[],
  completedAt: Timestamp,
): Promise<GiveBack | null> {
  const ours = jobs.filter(
    ({ state }) => state.status === 'failed' && isOurFault(state.error.code),
  );
  const day = dayOf(createdAt);
  if (ours.length === 0 || dayOf(completedAt) !== day) return null;
  const entries = await jobRequests.entries(batchId);
  const squareMetres = ours.reduce(
    (sum, { index }) => sum + (entries[index]?.squareMetres ?? 0),
    0,
  );
  return { tenant, day, amount: { jobs: ours.length, squareMetres } };
}
