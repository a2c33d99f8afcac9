import { isAddress } from './href-kinds.ts';
import { type PackFiles, PackFileUnavailable } from './pack-files.ts';

/** Where files at addresses come from, by the scheme of the address. */
export interface Addresses {
  readonly https: PackFiles;
  readonly s3: PackFiles;
}

/** A pack's own files, and those that its manifest names by address. */
export function withAddresses(folder: PackFiles, addresses: Addresses): PackFiles {
  const of = (href: string): PackFiles => {
    if (!isAddress(href)) return folder;
    if (href.startsWith('https://')) return addresses.https;
    if (href.startsWith('s3://')) return addresses.s3;
    throw new PackFileUnavailable(href, 'only https:// and s3:// addresses can be read');
  };
  return {
    read: async (href) => of(href).read(href),
    readRange: async (href, offset, length) => of(href).readRange(href, offset, length),
    size: async (href) => of(href).size(href),
  };
}
