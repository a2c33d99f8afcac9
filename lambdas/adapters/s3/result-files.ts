import type { S3Client } from '@aws-sdk/client-s3';
import type { ResultFiles } from '../../domain/job/finishing/rasters.ts';
import { s3Files } from '../packs/s3-files.ts';
import { rasterKey } from './raster-key.ts';

/** With the function's own role. */
export function s3ResultFiles(client: S3Client, bucket: string): ResultFiles {
  return {
    // `s3Files` keeps every file that it looked up, so each result has its own.
    open: (batchId, jobId) => ({
      files: s3Files(client),
      href: `s3://${bucket}/${rasterKey(batchId, jobId)}`,
    }),
  };
}
