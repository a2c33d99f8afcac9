import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  NotFound,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import type { BatchId, JobId } from '../../domain/identity.ts';
import type { FinishedRasters, RasterTargets } from '../../domain/job/finished-rasters.ts';
import type { CogUpload } from '../../raster/cog/ports.ts';

/** Media type of a Cloud Optimized GeoTIFF (OGC 21-026). */
const CONTENT_TYPE = 'image/tiff; application=geotiff; profile=cloud-optimized';

/** In the results bucket: `results/<batch>/<job>.tif`. */
export function rasterKey(batchId: BatchId, jobId: JobId): string {
  return `results/${batchId}/${jobId}.tif`;
}

/** Its role needs `s3:ListBucket` too: without it S3 answers 403 for what is not there. */
export function s3FinishedRasters(client: S3Client, results: string): FinishedRasters {
  return {
    async exists(batchId, jobId) {
      try {
        await client.send(
          new HeadObjectCommand({ Bucket: results, Key: rasterKey(batchId, jobId) }),
        );
        return true;
      } catch (error) {
        if (error instanceof NotFound) return false;
        throw error;
      }
    },
  };
}

/** @param buckets `work` is where blocks lie: server-side copies read from it */
export function s3RasterTargets(
  client: S3Client,
  buckets: { readonly results: string; readonly work: string },
): RasterTargets {
  return {
    target(batchId, jobId) {
      const place = { Bucket: buckets.results, Key: rasterKey(batchId, jobId) };
      return {
        async putWhole(bytes) {
          await client.send(
            new PutObjectCommand({ ...place, Body: bytes, ContentType: CONTENT_TYPE }),
          );
        },
        async begin() {
          const { UploadId } = await client.send(
            new CreateMultipartUploadCommand({ ...place, ContentType: CONTENT_TYPE }),
          );
          if (UploadId === undefined) throw new Error('S3 began an upload without naming it');
          return multipartUpload(client, buckets.work, { ...place, UploadId });
        },
      };
    },
  };
}

function multipartUpload(
  client: S3Client,
  work: string,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string },
): CogUpload {
  const tags = new Map<number, string>();
  const keep = (part: number, tag: string | undefined): void => {
    if (tag === undefined) throw new Error(`S3 gave part ${part} no ETag`);
    tags.set(part, tag);
  };
  return {
    async uploadPart(part, bytes) {
      const { ETag } = await client.send(
        new UploadPartCommand({ ...upload, PartNumber: part, Body: bytes }),
      );
      keep(part, ETag);
    },
    async copyPart(part, ref, offset, length) {
      const { CopyPartResult } = await client.send(
        new UploadPartCopyCommand({
          ...upload,
          PartNumber: part,
          CopySource: `${work}/${ref}`,
          CopySourceRange: `bytes=${offset}-${offset + length - 1}`,
        }),
      );
      keep(part, CopyPartResult?.ETag);
    },
    async complete() {
      const parts = [...tags].sort(([a], [b]) => a - b);
      await client.send(
        new CompleteMultipartUploadCommand({
          ...upload,
          MultipartUpload: { Parts: parts.map(([PartNumber, ETag]) => ({ PartNumber, ETag })) },
        }),
      );
    },
    async abort() {
      await client.send(new AbortMultipartUploadCommand(upload));
    },
  };
}
