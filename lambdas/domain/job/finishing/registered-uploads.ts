import type { CogTarget } from '#engine/raster/cog/ports.ts';
import { type Clock, timestamp } from '../../clock.ts';
import { type BatchId, jobIdOf } from '../../identity.ts';
import type { JobStore } from '../job.ts';
import type { JobSummary } from '../job-summary.ts';
import type { RasterUpload, RasterUploads } from './rasters.ts';

export interface RegisteredUploadsPorts {
  readonly jobs: Pick<JobStore, 'registerUpload'>;
  readonly rasters: RasterUploads;
  readonly clock: Clock;
}

class JobIsOver extends Error {
  override readonly name = 'JobIsOver';
}

/**
 * Returns the target for a job's raster. Every upload is recorded on the running job before any part of it is visible,
 * so that the step that finishes the batch can abort it, and a late writer leaves nothing behind.
 * @throws JobIsOver
 */
export function registeredTarget(
  { jobs, rasters, clock }: RegisteredUploadsPorts,
  batchId: BatchId,
  jobIndex: number,
  summary: JobSummary | null,
): CogTarget {
  const begin = async (): Promise<RasterUpload> => {
    const upload = await rasters.begin(batchId, jobIdOf(batchId, jobIndex), summary);
    const at = timestamp(clock());
    if ((await jobs.registerUpload(batchId, jobIndex, upload.id, at)) === 'changed') return upload;
    await upload.abort();
    throw new JobIsOver(`job ${jobIndex} of batch ${batchId} ended before its raster was written`);
  };
  return {
    begin,
    async putWhole(bytes) {
      const upload = await begin();
      try {
        await upload.uploadPart(1, bytes);
        return await upload.complete();
      } catch (error) {
        await upload.abort().catch(() => undefined);
        throw error;
      }
    },
  };
}
