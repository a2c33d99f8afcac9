import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  NotFound,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import type {
  FinishedRasters,
  RasterUpload,
  RasterUploads,
} from '../../domain/job/finished-rasters.ts';
import { rasterKey } from './raster-key.ts';

/** Media type of a Cloud Optimized GeoTIFF (OGC 21-026). */
const CONTENT_TYPE = 'image/tiff; application=geotiff; profile=cloud-optimized';

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
export function s3RasterUploads(
  client: S3Client,
  buckets: { readonly results: string; readonly work: string },
): RasterUploads {
  return {
    async begin(batchId, jobId) {
      const location = { Bucket: buckets.results, Key: rasterKey(batchId, jobId) };
      const { UploadId } = await client.send(
        new CreateMultipartUploadCommand({
          ...location,
          ContentType: CONTENT_TYPE,
          ChecksumAlgorithm: CHECKSUM,
        }),
      );
      if (UploadId === undefined) throw new Error('S3 began an upload without naming it');
      return multipartUpload(client, buckets.work, { ...location, UploadId });
    },
  };
}

/**
 * S3 refuses parts with a checksum when the upload was begun without one, and wants every part's
 * again when it is completed; the SDK sends CRC-32 with each part by itself.
 */
const CHECKSUM = 'CRC32';

/** What S3 says of a part it has. */
interface SentPart {
  readonly ETag?: string | undefined;
  readonly ChecksumCRC32?: string | undefined;
}

function multipartUpload(
  client: S3Client,
  work: string,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string },
): RasterUpload {
  const sent = new Map<number, SentPart>();
  const keep = (part: number, answer: SentPart | undefined): void => {
    if (answer?.ETag === undefined) throw new Error(`S3 gave part ${part} no ETag`);
    sent.set(part, { ETag: answer.ETag, ChecksumCRC32: answer.ChecksumCRC32 });
  };
  return {
    id: upload.UploadId,
    async uploadPart(part, bytes) {
      const answer = await client.send(
        new UploadPartCommand({
          ...upload,
          PartNumber: part,
          Body: bytes,
          ChecksumAlgorithm: CHECKSUM,
        }),
      );
      keep(part, answer);
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
      keep(part, CopyPartResult);
    },
    async complete() {
      const Parts = [...sent]
        .sort(([a], [b]) => a - b)
        .map(([PartNumber, part]) => ({ PartNumber, ...part }));
      await client.send(
        new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }),
      );
    },
    async abort() {
      await client.send(new AbortMultipartUploadCommand(upload));
    },
  };
}
