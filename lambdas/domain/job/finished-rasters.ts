import type { CogUpload } from '../../raster/cog/ports.ts';
import type { BatchId, JobId } from '../identity.ts';

/** Port to the finished rasters: one object a job, there only when it is whole. */
export interface FinishedRasters {
  exists(batchId: BatchId, jobId: JobId): Promise<boolean>;
}

/** Port to where rasters are written: nothing is to be seen of one before its upload is completed. */
export interface RasterUploads {
  begin(batchId: BatchId, jobId: JobId): Promise<RasterUpload>;
}

export interface RasterUpload extends CogUpload {
  /** By which anybody can abort it. */
  readonly id: string;
}

/** Port that takes back what was written for a job that then failed. */
export interface RasterCleanup {
  /** From then on nobody can complete the upload; success too when there is none any more. */
  abort(batchId: BatchId, jobId: JobId, uploadId: string): Promise<void>;
  /** Success too when there is no raster. */
  remove(batchId: BatchId, jobId: JobId): Promise<void>;
}
