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
import type { ResultStore } from '../../domain/job/result-store.ts';
import type { CogUpload } from '../../raster/cog/ports.ts';

export interface ResultBuckets {
  readonly results: string;
  /** Where blocks lie: server-side copies read from it. */
  readonly work: string;
}

/** Media type of a Cloud Optimized GeoTIFF (OGC 21-026). */
const CONTENT_TYPE = 'image/tiff; application=geotiff; profile=cloud-optimized';

/** Finished rasters in the results bucket: `results/<batch>/<job>.tif`. */
export function s3ResultStore(client: S3Client, buckets: ResultBuckets): ResultStore {
  return {
    async exists(batchId, jobId) {
      try {
        await client.send(
          new HeadObjectCommand({ Bucket: buckets.results, Key: resultKey(batchId, jobId) }),
        );
        return true;
      } catch (error) {
        if (error instanceof NotFound) return false;
        throw error;
      }
    },

    target(batchId, jobId) {
      const place = { Bucket: buckets.results, Key: resultKey(batchId, jobId) };
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

export function resultKey(batchId: BatchId, jobId: JobId): string {
  return `results/${batchId}/${jobId}.tif`;
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
