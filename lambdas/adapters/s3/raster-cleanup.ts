import type { RasterCleanup } from '../../domain/job/finishing/rasters.ts';
import { type ObjectRequest, objectRequests } from './object-request.ts';
import { rasterKey } from './raster-key.ts';

/** Does not use the SDK's S3 client, which the functions that finish batches do not otherwise need. */
export function s3RasterCleanup(
  results: string,
  request: ObjectRequest = objectRequests(results),
): RasterCleanup {
  return {
    async abort(batchId, jobId, uploadId) {
      await request('AbortMultipartUpload', rasterKey(batchId, jobId), {
        query: { uploadId },
        // The upload was completed or aborted before; `remove` deletes a completed raster.
        orElse: ['NoSuchUpload'],
      });
    },
    async remove(batchId, jobId) {
      await request('DeleteObject', rasterKey(batchId, jobId));
    },
  };
}
