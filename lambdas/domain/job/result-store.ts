import type { CogTarget } from '../../raster/cog/ports.ts';
import type { BatchId, JobId } from '../identity.ts';

/** Port to the finished rasters: one object a job, visible only when it is whole. */
export interface ResultStore {
  exists(batchId: BatchId, jobId: JobId): Promise<boolean>;
  target(batchId: BatchId, jobId: JobId): CogTarget;
}
