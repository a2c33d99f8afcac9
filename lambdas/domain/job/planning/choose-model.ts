import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import { polygonsOf } from '#engine/model/pack/manifest.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { LIMITS } from '../../limits.ts';
import type { JobError, JobModel, JobWarning } from '../job.ts';
import {
  antimeridianHint,
  type Cover,
  coordinateOrderHint,
  coverOfAll,
  describeBounds,
} from './coverage.ts';

export type ModelChoice =
  | {
      readonly kind: 'chosen';
      readonly pack: Pack;
      readonly model: JobModel;
      readonly warnings: readonly JobWarning[];
    }
  | { readonly kind: 'refused'; readonly error: JobError };

/**
 * The pack that a job runs on: the requested one; or else the first that contains the polygon and
 * covers the year; or else the first that overlaps the polygon and covers the year.
 */
export function chooseModel(
  catalogue: PackCatalogue,
  requested: string | null,
  polygon: MultiPolygonRings,
  year: number,
): ModelChoice {
  const { first, last } = LIMITS.years;
  if (year < first || year > last) return { kind: 'refused', error: yearCannotBe(year) };
  const match =
    requested === null
      ? firstMatch(catalogue, polygon, year)
      : matchByName(catalogue, requested, polygon, year);
  if ('code' in match) return { kind: 'refused', error: match };
  const { pack, cover, period } = match;
  const { kind: temporal } = pack.manifest.temporal;
  return {
    kind: 'chosen',
    pack,
    model: { id: pack.ref, temporal, dataPeriod: period },
    warnings: [
      ...(temporal === 'static' ? [staticModel(pack, period, year)] : []),
      ...(cover === 'partly' ? [partlyCovered(pack)] : []),
    ],
  };
}

/** The error for a polygon outside the coverage of every pack, if the job names none. */
export function uncovered({ byPlace }: PackCatalogue, polygon: MultiPolygonRings): JobError {
  const list = byPlace.map((pack) => `${pack.ref} (${boundsOf(pack)})`).join('; ');
  return refusal(
    'outside_coverage',
    `The polygon is outside the coverage of every model: ${list}. ${placeHints(polygon, byPlace)}`,
  );
}

/** The error for a polygon outside the grid of the requested pack. */
export function outsideGrid(pack: Pack, polygon: MultiPolygonRings): JobError {
  return refusal(
    'outside_coverage',
    `The polygon is outside the coverage of ${pack.ref}: ${boundsOf(pack)}. ${placeHints(polygon, [pack])}`,
  );
}

function placeHints(polygon: MultiPolygonRings, packs: readonly Pack[]): string {
  const coverages = packs.flatMap(({ manifest }) => polygonsOf(manifest));
  return coordinateOrderHint(polygon, coverages) + antimeridianHint(polygon);
}

/** A pack that covers the job's year, and how the polygon lies to its coverage. */
interface Match {
  readonly pack: Pack;
  readonly period: Period;
  readonly cover: Cover;
}

/** First and last year of the data behind a map. */
export type Period = readonly [number, number];

function firstMatch(
  catalogue: PackCatalogue,
  polygon: MultiPolygonRings,
  year: number,
): Match | JobError {
  const forOtherYears: Pack[] = [];
  let overlapping: Match | null = null;
  for (const pack of catalogue.byPlace) {
    const period = periodOf(pack, year);
    if (period === null) {
      forOtherYears.push(pack);
      continue;
    }
    const cover = coverBy(pack, polygon);
    if (cover === 'within') return { pack, period, cover };
    if (cover === 'partly') overlapping ??= { pack, period, cover };
  }
  if (overlapping !== null) return overlapping;
  const packs = forOtherYears.filter((pack) => coverBy(pack, polygon) !== 'apart');
  return packs.length > 0 ? noneHasYear(packs, year) : uncovered(catalogue, polygon);
}

function matchByName(
  catalogue: PackCatalogue,
  name: string,
  polygon: MultiPolygonRings,
  year: number,
): Match | JobError {
  const pack = catalogue.find(name);
  if (pack === undefined) return unknown(catalogue, name);
  const period = periodOf(pack, year);
  if (period === null) return yearNotCovered(pack, year);
  return { pack, period, cover: coverBy(pack, polygon) };
}

const coverBy = (pack: Pack, polygon: MultiPolygonRings): Cover =>
  coverOfAll(polygon, polygonsOf(pack.manifest));

/** The bounding box is larger than the coverage: a polygon inside it may still be outside. */
const boundsOf = (pack: Pack): string =>
  `an area within ${polygonsOf(pack.manifest).map(describeBounds).join(' and ')}, not all of that box`;

/** The data period of the map for that year; null if the pack has no map for it. */
export function periodOf({ manifest: { temporal } }: Pack, year: number): Period | null {
  if (temporal.kind === 'static') return temporal.data_period;
  return temporal.periods.find(([first, last]) => first <= year && year <= last) ?? null;
}

function unknown({ packs }: PackCatalogue, requested: string): JobError {
  const names = packs.map(({ ref }) => ref).join(', ');
  return refusal(
    'model_unknown',
    `There is no model ${JSON.stringify(requested)}. Available models: ${names} (the id alone selects the first with that id).`,
  );
}

/** The error if packs cover the polygon, but only for other years. */
function noneHasYear(packs: readonly Pack[], year: number): JobError {
  const [only] = packs;
  if (only !== undefined && packs.length === 1) return yearNotCovered(only, year);
  const list = packs.map((pack) => `${pack.ref} covers ${yearsOf(pack)}`).join('; ');
  return refusal(
    'year_not_covered',
    `No model that covers the polygon has a map for ${year}: ${list}.`,
  );
}

function yearNotCovered(pack: Pack, year: number): JobError {
  return refusal(
    'year_not_covered',
    `${pack.ref} has no map for ${year}; it covers ${yearsOf(pack)}.`,
  );
}

function yearsOf({ manifest: { temporal } }: Pack): string {
  const periods = temporal.kind === 'period' ? temporal.periods : [temporal.data_period];
  return periods.map(([first, last]) => `${first}–${last}`).join(', ');
}

function yearCannotBe(year: number): JobError {
  const { first, last } = LIMITS.years;
  return refusal('year_not_covered', `The year ${year} is not one from ${first} to ${last}.`);
}

function staticModel({ ref }: Pack, [first, last]: Period, year: number) {
  return {
    code: 'static_model',
    message: `${ref} is a static map of data from ${first}–${last}: the requested year (${year}) makes no difference.`,
  } as const;
}

function partlyCovered(pack: Pack) {
  return {
    code: 'partly_outside_coverage',
    message: `Part of the polygon is outside the coverage of ${pack.ref} (${boundsOf(pack)}); cells without data are nodata.`,
  } as const;
}

function refusal(code: JobError['code'], message: string): JobError {
  return { code, message, location: null };
}
