import { inParallel } from '../../concurrency/in-parallel.ts';
import { type BatchId, jobIdOf } from '../identity.ts';
import type { RasterCleanup } from './finished-rasters.ts';
import type { JobRecord } from './job.ts';

const JOBS_AT_ONCE = 8;

/**
 * Deletes what was or could still be written for failed jobs: first it aborts the uploads, so that none
 * can be completed, then it deletes completed objects. Safe to repeat.
 */
export async function deleteFailedRasters(
  rasters: RasterCleanup,
  batchId: BatchId,
  jobs: readonly JobRecord[],
): Promise<void> {
  const failed = jobs.filter(({ state }) => state.status === 'failed');
  await inParallel(failed, JOBS_AT_ONCE, async ({ index, uploads = [] }) => {
    if (uploads.length === 0) return;
    const jobId = jobIdOf(batchId, index);
    for (const upload of uploads) await rasters.abort(batchId, jobId, upload);
    await rasters.remove(batchId, jobId);
  });
}
