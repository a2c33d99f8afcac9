import { S3Client } from '@aws-sdk/client-s3';
import { createByteLimitedCache } from '#engine/model/geotiff/byte-limited-cache.ts';
import { localManifestSchema } from '#engine/model/pack/manifest.ts';
import { loadPack, type Pack } from '#engine/model/pack/pack.ts';
import {
  type PackFiles,
  type RemoteSources,
  withRemoteSources,
} from '#engine/model/pack/pack-files.ts';
import { openPackFolder } from '#engine/model/pack/pack-folder.ts';
import { httpFiles } from '../../lambdas/adapters/packs/http-files.ts';
import { s3Files } from '../../lambdas/adapters/packs/s3-files.ts';

/** The pack's covariates may be on a server of this machine. */
export function openPack(folder: string, remote = remoteSources()): Promise<Pack> {
  return loadPack(withRemoteSources(openPackFolder(folder), remote), localManifestSchema);
}

/** Far more than the headers and some tiles of a world map at 30 m. */
const KEPT_BYTES = 256 * 2 ** 20;

/** Keeps ranges that were read, because a check of scattered cells reads the same tile tables repeatedly. */
export function cacheRanges({ https, s3, ownMachine = https }: RemoteSources): RemoteSources {
  return {
    https: cacheFileRanges(https),
    s3: cacheFileRanges(s3),
    ownMachine: cacheFileRanges(ownMachine),
  };
}

function cacheFileRanges(files: PackFiles): PackFiles {
  const ranges = createByteLimitedCache<Promise<Uint8Array>>(KEPT_BYTES);
  return {
    ...files,
    readRange(href, offset, length) {
      const key = `${href} ${offset} ${length}`;
      const known = ranges.get(key);
      if (known !== undefined) return known;
      const read = files.readRange(href, offset, length);
      ranges.set(key, read, length);
      return read;
    },
  };
}

/** The readers use the caller's credentials. */
export function remoteSources(): RemoteSources {
  let s3Reader: PackFiles | undefined;
  // Created on first use, because most packs have no S3 objects and the client warns about old Node versions.
  const s3 = (): PackFiles => {
    s3Reader ??= s3Files(new S3Client({ followRegionRedirects: true }));
    return s3Reader;
  };
  const https = httpFiles();
  return {
    https,
    ownMachine: https,
    s3: {
      readFile: (href) => s3().readFile(href),
      readRange: (href, offset, length) => s3().readRange(href, offset, length),
      readSize: (href) => s3().readSize(href),
      readVersion: async (href) => s3().readVersion?.(href) ?? { size: await s3().readSize(href) },
    },
  };
}
