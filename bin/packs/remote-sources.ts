import { S3Client } from '@aws-sdk/client-s3';
import { loadPack, type Pack } from '#engine/model/pack/pack.ts';
import {
  type PackFiles,
  type RemoteSources,
  withRemoteSources,
} from '#engine/model/pack/pack-files.ts';
import { packFolder } from '#engine/model/pack/pack-folder.ts';
import { httpFiles } from '../../lambdas/adapters/packs/http-files.ts';
import { s3Files } from '../../lambdas/adapters/packs/s3-files.ts';

/** Opens the pack in a folder, with remote covariates read with the credentials of the caller. */
export function openedPack(folder: string): Promise<Pack> {
  return loadPack(withRemoteSources(packFolder(folder), remoteSources()));
}

/** Readers of remote covariates, with the credentials of the caller. */
export function remoteSources(): RemoteSources {
  let s3Reader: PackFiles | undefined;
  // Created on first use: most packs have no S3 objects, and the client warns about old Node versions.
  const s3 = (): PackFiles => {
    s3Reader ??= s3Files(new S3Client({ followRegionRedirects: true }));
    return s3Reader;
  };
  return {
    https: httpFiles(),
    s3: {
      read: (href) => s3().read(href),
      readRange: (href, offset, length) => s3().readRange(href, offset, length),
      size: (href) => s3().size(href),
    },
  };
}
