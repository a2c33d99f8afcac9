import type { BatchId, JobId } from '../../domain/identity.ts';

export function rasterKey(batchId: BatchId, jobId: JobId): string {
  return `results/${batchId}/${jobId}.tif`;
}
