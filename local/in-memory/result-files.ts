import { type PackFiles, PackFileUnavailable } from '#engine/model/pack/pack-files.ts';
import type { ResultFiles } from '../../lambdas/domain/job/finishing/rasters.ts';

/** @param read the bytes of a finished raster */
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
        read: bytes,
        readRange: async (href, offset, length) =>
          (await bytes(href)).subarray(offset, offset + length),
        size: async (href) => (await bytes(href)).length,
      };
      return { files, href: `results/${batchId}/${jobId}.tif` };
    },
  };
}
