import type { BatchId } from '../identity.ts';
import type { JobRequests } from './job-requests.ts';
import { propertiesIn } from './job-text.ts';

/** The exact properties of every job of a batch, in order; null for a job without. Two reads for any number of jobs. */
export async function readProperties(
  jobRequests: Pick<JobRequests, 'entries' | 'text'>,
  batchId: BatchId,
): Promise<readonly (string | null)[]> {
  const [entries, text] = await Promise.all([
    jobRequests.entries(batchId),
    jobRequests.text(batchId),
  ]);
  return entries.map(({ offset, length }) => propertiesIn(text.subarray(offset, offset + length)));
}
