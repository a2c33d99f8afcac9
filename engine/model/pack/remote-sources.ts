import { isUrl } from './href-kinds.ts';
import { type PackFiles, PackFileUnavailable } from './pack-files.ts';

/** Readers of remote files, by the scheme of the URL. */
export interface RemoteSources {
  readonly https: PackFiles;
  readonly s3: PackFiles;
}

/** A pack's own files, and the remote ones that its manifest names by URL. */
export function withRemoteSources(folder: PackFiles, remote: RemoteSources): PackFiles {
  const of = (href: string): PackFiles => {
    if (!isUrl(href)) return folder;
    if (href.startsWith('https://')) return remote.https;
    if (href.startsWith('s3://')) return remote.s3;
    throw new PackFileUnavailable(href, 'unsupported URL scheme: use https:// or s3://');
  };
  return {
    read: async (href) => of(href).read(href),
    readRange: async (href, offset, length) => of(href).readRange(href, offset, length),
    size: async (href) => of(href).size(href),
  };
}
