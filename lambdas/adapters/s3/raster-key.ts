import type { BatchId, JobId } from '../../domain/identity.ts';

/** Returns the raster's key in the results bucket, `results/<batch>/<job>.tif`. */
export function rasterKey(batchId: BatchId, jobId: JobId): string {
  return `results/${batchId}/${jobId}.tif`;
}
