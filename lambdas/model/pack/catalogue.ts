import type { Pack } from './pack.ts';

/** The packs of a deployment, in the order of its configuration. */
export interface PackCatalogue {
  readonly packs: readonly Pack[];
  /** By `id@version`, or by `id` alone: then the first pack with that id. */
  find(name: string): Pack | undefined;
}

/** Throws if two packs have the same `id@version`. */
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
 * The pack with which a job was planned.
 * @throws Error if a later deployment has removed it
 */
export function deployedPack(catalogue: PackCatalogue, ref: string): Pack {
  const pack = catalogue.find(ref);
  if (pack === undefined) throw new Error(`the planned model ${ref} is no longer deployed`);
  return pack;
}
