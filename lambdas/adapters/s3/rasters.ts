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
import {
  type FinishedRasters,
  RASTER_MEDIA_TYPE,
  type RasterUpload,
  type RasterUploads,
  type ResultFiles,
} from '../../domain/job/finishing/rasters.ts';
import { storedSummary } from '../../domain/job/job-summary.ts';
import { s3Files } from '../packs/s3-files.ts';
import { rasterKey } from './raster-key.ts';

/** Besides `s3:GetObject`, needs `s3:ListBucket`, without which S3 responds with 403 for a missing object. */
export function s3FinishedRasters(client: S3Client, results: string): FinishedRasters {
  return {
    async find(batchId, jobId) {
      try {
        const {
          ContentLength: bytes,
          ETag,
          Metadata,
        } = await client.send(
          new HeadObjectCommand({ Bucket: results, Key: rasterKey(batchId, jobId) }),
        );
        if (bytes === undefined) throw new Error('S3 returned no length');
        const text = Metadata?.[SUMMARY];
        const summary = text === undefined ? null : storedSummary.parse(JSON.parse(text));
        return {
          raster_bytes: bytes,
          raster_etag: requireTag(ETag),
          ...(summary === null ? {} : { summary }),
        };
      } catch (error) {
        if (error instanceof NotFound) return null;
        throw error;
      }
    },
  };
}

function requireTag(etag: string | undefined): string {
  if (etag === undefined) throw new Error('S3 returned no ETag');
  return etag;
}

const SUMMARY = 'summary';

/**
 * Escapes to ASCII: S3 user metadata is US-ASCII and at most 2 KB.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
 */
function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** @param buckets the blocks in `work` become parts of rasters in `results` by server-side copies */
export function s3RasterUploads(
  client: S3Client,
  buckets: { readonly results: string; readonly work: string },
): RasterUploads {
  return {
    async begin(batchId, jobId, summary) {
      const location = { Bucket: buckets.results, Key: rasterKey(batchId, jobId) };
      const { UploadId } = await client.send(
        new CreateMultipartUploadCommand({
          ...location,
          ContentType: RASTER_MEDIA_TYPE,
          ...(summary === null ? {} : { Metadata: { [SUMMARY]: toAsciiJson(summary) } }),
          ChecksumAlgorithm: CHECKSUM,
        }),
      );
      if (UploadId === undefined) throw new Error('S3 returned no upload id');
      return multipartUpload(client, buckets.work, { ...location, UploadId });
    },
  };
}

/**
 * S3 rejects parts with a checksum if the upload was created without one, and requires every part's checksum on
 * completion. The SDK adds a CRC-32 to each part.
 */
const CHECKSUM = 'CRC32';

/** The request that completes the upload sends these fields back. */
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
  const record = (part: number, response: SentPart | undefined): void => {
    if (response?.ETag === undefined) throw new Error(`S3 returned no ETag for part ${part}`);
    sent.set(part, { ETag: response.ETag, ChecksumCRC32: response.ChecksumCRC32 });
  };
  return {
    id: upload.UploadId,
    async uploadPart(part, bytes) {
      const response = await client.send(
        new UploadPartCommand({
          ...upload,
          PartNumber: part,
          Body: bytes,
          ChecksumAlgorithm: CHECKSUM,
        }),
      );
      record(part, response);
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
      record(part, CopyPartResult);
    },
    async complete() {
      const Parts = [...sent]
        .sort(([a], [b]) => a - b)
        .map(([PartNumber, part]) => ({ PartNumber, ...part }));
      const { ETag } = await client.send(
        new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }),
      );
      return requireTag(ETag);
    },
    async abort() {
      await client.send(new AbortMultipartUploadCommand(upload));
    },
  };
}

export function s3ResultFiles(client: S3Client, bucket: string): ResultFiles {
  return {
    // A reader remembers the size and ETag of every file that it looked up, so each result gets a separate one.
    open: (batchId, jobId) => ({
      files: s3Files(client),
      href: `s3://${bucket}/${rasterKey(batchId, jobId)}`,
    }),
  };
}
