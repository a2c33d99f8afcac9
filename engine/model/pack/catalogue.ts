import { isChosenByPlace, type Years } from './manifest.ts';
import type { Pack } from './pack.ts';
import { formatYears, hasYear, listPackPeriods } from './periods.ts';

/** The packs of a deployment, in the order of its configuration. */
export interface PackCatalogue {
  /** Every pack once, however many periods it has. */
  readonly packs: readonly Pack[];
  /** The packs for jobs that do not name a model, each once per period. */
  readonly byPlace: readonly Pack[];
  /** The packs with this `id@version`, or all versions with this `id`. */
  listByName(name: string): readonly Pack[];
  /** The map for a year, of the first pack with this `id@version` or `id` that has one. */
  findForYear(name: string, year: number): Pack | undefined;
  /** The map of a period; without years, the map of the pack's first period. */
  findMap(ref: string, years: Years | undefined): Pack | undefined;
}

/**
 * @throws Error if two packs have the same `id@version`, or if there are packs but none for jobs
 * that do not name a model
 */
export function createPackCatalogue(packs: readonly Pack[]): PackCatalogue {
  const repeated = packs.find((pack, i) => packs.findIndex(({ ref }) => ref === pack.ref) < i);
  if (repeated) {
    throw new Error(`the pack ${repeated.ref} is listed twice`);
  }
  const maps = packs.flatMap(listPackPeriods);
  const byPlace = maps.filter(({ manifest }) => isChosenByPlace(manifest));
  if (packs.length > 0 && byPlace.length === 0) {
    throw new Error('by_name_only: at least one pack must be for jobs that do not name a model');
  }
  const isNamed = (name: string) => (pack: Pack) => pack.ref === name || pack.manifest.id === name;
  return {
    packs,
    byPlace,
    listByName: (name) => packs.filter(isNamed(name)),
    findForYear: (name, year) => maps.filter(isNamed(name)).find((pack) => hasYear(pack, year)),
    findMap: (ref, years) =>
      maps.find((pack) => pack.ref === ref && (years === undefined || isPackOfPeriod(pack, years))),
  };
}

function isPackOfPeriod(pack: Pack, years: Years): boolean {
  return pack.years !== undefined && formatYears(pack.years) === formatYears(years);
}

/** The map that a plan stores. A map of a static pack has no years. */
export interface PlannedMap {
  /** The pack as `id@version`. */
  readonly model: string;
  readonly years?: Years;
}

/**
 * The map with which a job was planned.
 * @throws Error if a later deployment has removed it
 */
export function requireDeployedPack(catalogue: PackCatalogue, { model, years }: PlannedMap): Pack {
  const pack = catalogue.findMap(model, years);
  if (pack === undefined) throw new Error(`the planned model ${model} is no longer deployed`);
  return pack;
}
