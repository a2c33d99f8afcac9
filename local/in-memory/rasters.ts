import type {
  FinishedRasters,
  RasterCleanup,
  RasterUploads,
} from '../../lambdas/domain/job/finished-rasters.ts';

export interface RasterFiles extends FinishedRasters, RasterUploads, RasterCleanup {
  read(batchId: string, jobId: string): Uint8Array | undefined;
}

/**
 * A results bucket whose uploads end as S3's do: completed or aborted once, unknown from then on.
 * Ranges copied on the server's side are proved against S3.
 * @param onWritten told of every raster that became visible
 */
export function inMemoryRasters(
  onWritten: (name: string, bytes: Uint8Array) => void = () => undefined,
): RasterFiles {
  const files = new Map<string, Uint8Array>();
  const open = new Map<string, Map<number, Uint8Array>>();
  let begun = 0;
  const partsOf = (id: string): Map<number, Uint8Array> => {
    const parts = open.get(id);
    if (parts === undefined) throw new Error(`NoSuchUpload: ${id}`);
    return parts;
  };
  return {
    exists: async (batchId, jobId) => files.has(`${batchId}/${jobId}`),
    read: (batchId, jobId) => files.get(`${batchId}/${jobId}`),
    async begin(batchId, jobId) {
      begun += 1;
      const id = `upload-${begun}`;
      open.set(id, new Map());
      return {
        id,
        async uploadPart(part, bytes) {
          partsOf(id).set(part, bytes.slice());
        },
        copyPart: () => Promise.reject(new Error('no blocks lie in this bucket')),
        async complete() {
          const parts = [...partsOf(id)].sort(([a], [b]) => a - b);
          const bytes = Buffer.concat(parts.map(([, part]) => part));
          open.delete(id);
          files.set(`${batchId}/${jobId}`, bytes);
          onWritten(`${batchId}/${jobId}`, bytes);
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
