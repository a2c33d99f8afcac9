import type { Pack } from './pack.ts';

/** The packs of a deployment, in the order of its configuration. */
export interface PackCatalogue {
  readonly packs: readonly Pack[];
  /** Those for jobs that name no model. */
  readonly byPlace: readonly Pack[];
  /** By `id@version`, or by `id` alone: then the first pack with that id. */
  find(name: string): Pack | undefined;
}

/** Throws if two packs have the same `id@version`, or none is for jobs that name no model. */
export function packCatalogue(packs: readonly Pack[]): PackCatalogue {
  const repeated = packs.find((pack, i) => packs.findIndex(({ ref }) => ref === pack.ref) < i);
  if (repeated) {
    throw new Error(`the pack ${repeated.ref} is listed twice`);
  }
  const byPlace = packs.filter(({ manifest }) => manifest.by_name_only !== true);
  if (packs.length > 0 && byPlace.length === 0) {
    throw new Error('by_name_only: at least one pack must be for jobs that name no model');
  }
  return {
    packs,
    byPlace,
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
