import type { Pack } from './pack.ts';

/** The packs of a deployment, in the order of its configuration. */
export interface PackCatalogue {
  readonly packs: readonly Pack[];
  /** By `id@version`, or by `id`: then the first of that id. */
  find(name: string): Pack | undefined;
}

/** Throws when two packs have the same `id@version`. */
export function packCatalogue(packs: readonly Pack[]): PackCatalogue {
  const repeated = packs.find((pack, i) => packs.findIndex(({ ref }) => ref === pack.ref) < i);
  if (repeated) {
    throw new Error(`the pack ${repeated.ref} is listed twice`);
  }
  return {
    packs,
    find: (name) => packs.find(({ ref, manifest }) => ref === name || manifest.id === name),
  };
}

/**
 * The pack a job was planned on.
 * @throws Error when a deploy has taken it away since
 */
export function deployedPack(catalogue: PackCatalogue, ref: string): Pack {
  const pack = catalogue.find(ref);
  if (pack === undefined) throw new Error(`the planned model ${ref} is no longer deployed`);
  return pack;
}
