import type { CogTarget } from '../../raster/cog/ports.ts';
import { type Clock, timestamp } from '../clock.ts';
import { type BatchId, jobIdOf } from '../identity.ts';
import type { RasterUpload, RasterUploads } from './finished-rasters.ts';
import type { JobStore } from './job-store.ts';

export interface RegisteredUploadsPorts {
  readonly jobs: Pick<JobStore, 'registerUpload'>;
  readonly rasters: RasterUploads;
  readonly clock: Clock;
}

/** The job ended before its raster could be written. */
class JobIsOver extends Error {
  override readonly name = 'JobIsOver';
}

/**
 * Where a job's raster goes. Every upload, a small file's too, is announced on the job, which must
 * still run, before anything of it can be seen: whoever ends the job afterwards knows the upload and
 * can abort it, so a writer that wakes up late leaves nothing behind.
 * @throws JobIsOver
 */
export function registeredTarget(
  { jobs, rasters, clock }: RegisteredUploadsPorts,
  batchId: BatchId,
  jobIndex: number,
): CogTarget {
  const begin = async (): Promise<RasterUpload> => {
    const upload = await rasters.begin(batchId, jobIdOf(batchId, jobIndex));
    const at = timestamp(clock());
    if ((await jobs.registerUpload(batchId, jobIndex, upload.id, at)) === 'changed') return upload;
    await upload.abort();
    throw new JobIsOver(`job ${jobIndex} of batch ${batchId}`);
  };
  return {
    begin,
    async putWhole(bytes) {
      const upload = await begin();
      try {
        await upload.uploadPart(1, bytes);
        await upload.complete();
      } catch (error) {
        await upload.abort().catch(() => undefined);
        throw error;
      }
    },
  };
}
