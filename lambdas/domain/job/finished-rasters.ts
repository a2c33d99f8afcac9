import type { CogTarget } from '../../raster/cog/ports.ts';
import type { BatchId, JobId } from '../identity.ts';

/** Port to the finished rasters: one object a job, there only when it is whole. */
export interface FinishedRasters {
  exists(batchId: BatchId, jobId: JobId): Promise<boolean>;
}

/** Port to where rasters are written. */
export interface RasterTargets {
  target(batchId: BatchId, jobId: JobId): CogTarget;
}
