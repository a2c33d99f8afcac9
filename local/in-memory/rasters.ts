import { createHash } from 'node:crypto';
import { type PackFiles, PackFileUnavailable } from '#engine/model/pack/pack-files.ts';
import type { BlockSource } from '#engine/raster/cog/ports.ts';
import type {
  FinishedRasters,
  RasterCleanup,
  RasterUploads,
  ResultFiles,
} from '../../lambdas/domain/job/finishing/rasters.ts';
import type { JobSummary } from '../../lambdas/domain/job/job-summary.ts';

export interface RasterFiles extends FinishedRasters, RasterUploads, RasterCleanup {
  read(batchId: string, jobId: string): Uint8Array | undefined;
  /** Whether an upload has been neither completed nor aborted, so that S3 bills its parts. */
  isOpen(uploadId: string): boolean;
}

/**
 * Creates a results bucket whose uploads behave like S3's: they are completed or aborted once, and unknown afterwards.
 * @param blocks the store from which parts are copied
 * @param onWritten called for every raster that becomes visible
 */
export function inMemoryRasters(
  blocks: BlockSource,
  onWritten: (name: string, bytes: Uint8Array) => void = () => undefined,
): RasterFiles {
  const files = new Map<string, Uint8Array>();
  const summaries = new Map<string, JobSummary | null>();
  const open = new Map<string, Map<number, Uint8Array>>();
  let uploads = 0;
  const requireParts = (id: string): Map<number, Uint8Array> => {
    const parts = open.get(id);
    if (parts === undefined) throw new Error(`NoSuchUpload: ${id}`);
    return parts;
  };
  return {
    async find(batchId, jobId) {
      const readBytes = files.get(`${batchId}/${jobId}`);
      if (readBytes === undefined) return null;
      const summary = summaries.get(`${batchId}/${jobId}`) ?? null;
      return {
        raster_bytes: readBytes.length,
        raster_etag: computeEtag(readBytes),
        ...(summary === null ? {} : { summary }),
      };
    },
    read: (batchId, jobId) => files.get(`${batchId}/${jobId}`),
    isOpen: (uploadId) => open.has(uploadId),
    async begin(batchId, jobId, summary) {
      uploads += 1;
      const id = `upload-${uploads}`;
      open.set(id, new Map());
      return {
        id,
        async uploadPart(part, bytes) {
          requireParts(id).set(part, bytes.slice());
        },
        async copyPart(part, ref, offset, length) {
          const bytes = new Uint8Array(length);
          await blocks.readInto(ref, offset, bytes);
          requireParts(id).set(part, bytes);
        },
        async complete() {
          const parts = [...requireParts(id)].sort(([a], [b]) => a - b);
          const bytes = Buffer.concat(parts.map(([, part]) => part));
          open.delete(id);
          files.set(`${batchId}/${jobId}`, bytes);
          summaries.set(`${batchId}/${jobId}`, summary);
          onWritten(`${batchId}/${jobId}`, bytes);
          return computeEtag(bytes);
        },
        async abort() {
          open.delete(id);
        },
      };
    },
    async abort(_batchId, _jobId, uploadId) {
      open.delete(uploadId);
    },
    async remove(batchId, jobId) {
      files.delete(`${batchId}/${jobId}`);
    },
  };
}

/** Computes an ETag with quotes, as in the HTTP header (RFC 9110, section 8.8.3). */
export function computeEtag(bytes: Uint8Array): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

/** @param read returns the bytes of a finished raster */
export function inMemoryResultFiles(
  read: (batchId: string, jobId: string) => Uint8Array | undefined,
): ResultFiles {
  return {
    open(batchId, jobId) {
      const bytes = async (href: string): Promise<Uint8Array> => {
        const found = read(batchId, jobId);
        if (found === undefined) throw new PackFileUnavailable(href, 'there is no such object');
        return found;
      };
      const files: PackFiles = {
        readFile: bytes,
        readRange: async (href, offset, length) =>
          (await bytes(href)).subarray(offset, offset + length),
        readSize: async (href) => (await bytes(href)).length,
      };
      return { files, href: `results/${batchId}/${jobId}.tif` };
    },
  };
}
