import { inParallel } from '#engine/concurrency/in-parallel.ts';
import { type BatchId, jobIdOf } from '../../identity.ts';
import type { JobRecord } from '../job.ts';
import type { RasterCleanup } from './rasters.ts';

const JOBS_AT_ONCE = 8;

/**
 * Aborts the uploads of jobs that are final, and deletes the rasters of failed ones: first the uploads,
 * so that none can be completed afterwards. A completed job has more than the upload of its raster only
 * if a worker died or failed while it wrote. Safe to repeat.
 */
export async function cleanUpRasters(
  rasters: RasterCleanup,
  batchId: BatchId,
  jobs: readonly JobRecord[],
): Promise<void> {
  const left = jobs.filter(({ state, uploads = [] }) => {
    return uploads.length > (state.status === 'completed' ? 1 : 0);
  });
  await inParallel(left, JOBS_AT_ONCE, async ({ index, state, uploads = [] }) => {
    const jobId = jobIdOf(batchId, index);
    for (const upload of uploads) await rasters.abort(batchId, jobId, upload);
    if (state.status === 'failed') await rasters.remove(batchId, jobId);
  });
}
