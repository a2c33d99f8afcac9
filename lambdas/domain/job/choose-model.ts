import type { MultiPolygonRings } from '../../geometry/polygon.ts';
import type { PackCatalogue } from '../../model/pack/catalogue.ts';
import { polygonsOf } from '../../model/pack/manifest.ts';
import type { Pack } from '../../model/pack/pack.ts';
import { type Cover, coverOfAll, describeBounds } from './coverage.ts';
import type { JobError, JobModel, JobWarning } from './job.ts';
import { antimeridianHint, coordinateOrderHint } from './position-hints.ts';

export type ModelChoice =
  | {
      readonly kind: 'chosen';
      readonly pack: Pack;
      readonly model: JobModel;
      readonly warnings: readonly JobWarning[];
    }
  | { readonly kind: 'refused'; readonly error: JobError };

/**
 * The pack a job runs on: the one it asks for, or else the first of the deployment that contains its
 * polygon and has its year, or else the first that overlaps the polygon and has the year.
 */
export function chooseModel(
  catalogue: PackCatalogue,
  asked: string | null,
  polygon: MultiPolygonRings,
  year: number,
): ModelChoice {
  const match =
    asked === null
      ? firstMatch(catalogue, polygon, year)
      : matchByName(catalogue, asked, polygon, year);
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

/** A polygon no pack of the deployment has anything to say about. */
export function uncovered({ packs }: PackCatalogue, polygon: MultiPolygonRings): JobError {
  const list = packs.map((pack) => `${pack.ref} (${boundsOf(pack)})`).join('; ');
  return refusal(
    'outside_coverage',
    `The polygon lies outside the coverage of every model here: ${list}. ${placeHints(polygon, packs)}`,
  );
}

/** A polygon outside the grid of the pack it asked for. */
export function outsideGrid(pack: Pack, polygon: MultiPolygonRings): JobError {
  return refusal(
    'outside_coverage',
    `The polygon lies outside the coverage of ${pack.ref}: ${boundsOf(pack)}. ${placeHints(polygon, [pack])}`,
  );
}

function placeHints(polygon: MultiPolygonRings, packs: readonly Pack[]): string {
  const coverages = packs.flatMap(({ manifest }) => polygonsOf(manifest));
  return coordinateOrderHint(polygon, coverages) + antimeridianHint(polygon);
}

/** A pack that has the job's year, and how the polygon lies to its coverage. */
interface Match {
  readonly pack: Pack;
  readonly period: Period;
  readonly cover: Cover;
}

/** First and last year of the data behind a map. */
type Period = readonly [number, number];

function firstMatch(
  catalogue: PackCatalogue,
  polygon: MultiPolygonRings,
  year: number,
): Match | JobError {
  const ofOtherYears: Pack[] = [];
  let overlapping: Match | null = null;
  for (const pack of catalogue.packs) {
    const period = periodOf(pack, year);
    if (period === null) {
      ofOtherYears.push(pack);
      continue;
    }
    const cover = coverBy(pack, polygon);
    if (cover === 'within') return { pack, period, cover };
    if (cover === 'partly') overlapping ??= { pack, period, cover };
  }
  if (overlapping !== null) return overlapping;
  const packs = ofOtherYears.filter((pack) => coverBy(pack, polygon) !== 'apart');
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

/** The box is wider than the coverage itself: a polygon inside it may still lie outside. */
const boundsOf = (pack: Pack): string =>
  `an area within ${polygonsOf(pack.manifest).map(describeBounds).join(' and ')}, not all of that box`;

/** The data behind the map of that year; null when the pack has none for it. */
function periodOf({ manifest: { temporal } }: Pack, year: number): Period | null {
  if (temporal.kind === 'static') return temporal.data_period;
  return temporal.periods.find(([first, last]) => first <= year && year <= last) ?? null;
}

function unknown({ packs }: PackCatalogue, asked: string): JobError {
  const names = packs.map(({ ref }) => ref).join(', ');
  return refusal(
    'model_unknown',
    `There is no model ${JSON.stringify(asked)} here. Models: ${names} (the id alone takes the first of that id).`,
  );
}

/** Of packs that cover the polygon, in other years. */
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

function staticModel({ ref }: Pack, [first, last]: Period, year: number) {
  return {
    code: 'static_model',
    message: `${ref} is a static map of data from ${first}–${last}: the year asked for (${year}) changes nothing.`,
  } as const;
}

function partlyCovered(pack: Pack) {
  return {
    code: 'partly_outside_coverage',
    message: `Part of the polygon lies outside the coverage of ${pack.ref} (${boundsOf(pack)}); cells without data there hold nodata.`,
  } as const;
}

function refusal(code: JobError['code'], message: string): JobError {
  return { code, message, location: null };
}
