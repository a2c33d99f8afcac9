import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import { coveragePolygonsOf, type Years } from '#engine/model/pack/manifest.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { findDataPeriod, hasYear, listMapPeriods } from '#engine/model/pack/periods.ts';
import { LIMITS } from '../../limits.ts';
import type { JobError, JobModel, JobWarning } from '../job.ts';
import {
  antimeridianHint,
  type Cover,
  coordinateOrderHint,
  coverOfAll,
  describeBounds,
  distanceTo,
} from './coverage.ts';

/** A model without its pack's digest, which is read only when the job is planned. */
export type ChosenModel = Omit<JobModel, 'sha256'>;

export type ModelChoice =
  | {
      readonly kind: 'chosen';
      readonly pack: Pack;
      readonly model: ChosenModel;
      readonly warnings: readonly JobWarning[];
    }
  | { readonly kind: 'refused'; readonly error: JobError };

/**
 * Chooses the pack that a job runs on: the requested pack or, if none is requested, the first one that contains the
 * polygon and covers the year, or else the first one that overlaps the polygon and covers the year.
 */
export function chooseModel(
  catalogue: PackCatalogue,
  requested: string | null,
  polygon: MultiPolygonRings,
  year: number,
): ModelChoice {
  const { first, last } = LIMITS.years;
  if (year < first || year > last) return { kind: 'refused', error: yearOutOfRangeError(year) };
  const match =
    requested === null
      ? firstMatch(catalogue, polygon, year)
      : matchByName(catalogue, requested, polygon, year);
  if ('code' in match) return { kind: 'refused', error: match };
  const { pack, cover } = match;
  const { kind: temporal } = pack.manifest.temporal;
  const data_period = findDataPeriod(pack);
  return {
    kind: 'chosen',
    pack,
    model: { id: pack.ref, temporal, data_period },
    warnings: [
      ...(temporal === 'static' ? [staticModelWarning(data_period, year)] : []),
      ...(cover === 'partly' ? [partlyCoveredWarning()] : []),
    ],
  };
}

/** Returns the error for a job that names no pack and whose polygon no automatically chosen pack covers. */
function uncoveredError({ packs }: PackCatalogue, polygon: MultiPolygonRings): JobError {
  const offered = packs.filter(isOffered);
  // Packs whose coverage overlaps the polygon, but which are chosen only if the job names them.
  const named = offered.filter((pack) => coverBy(pack, polygon) !== 'apart');
  if (named.length > 0) {
    return planningError(
      'outside_coverage',
      `No automatically chosen model covers any part of the polygon. Set the job's model to one that does: ${refsOf(named)}.`,
    );
  }
  const [nearest] = offered
    .map((pack) => ({ pack, away: distanceTo(coveragePolygonsOf(pack.manifest), polygon) }))
    .toSorted((a, b) => a.away - b.away);
  const hint = nearest
    ? ` The nearest is ${nearest.pack.ref}, which covers ${boundsOf(nearest.pack)}.`
    : '';
  return planningError(
    'outside_coverage',
    `No model covers the polygon.${hint}${formatPlaceHints(polygon, offered)}`,
  );
}

export function outsideModelError(pack: Pack, polygon: MultiPolygonRings): JobError {
  return planningError(
    'outside_coverage',
    `The polygon is outside the coverage of ${pack.ref} (${boundsOf(pack)}), or outside its raster.${formatPlaceHints(polygon, [pack])}`,
  );
}

/** Messages do not offer packs for deployment checks. */
const isOffered = ({ manifest }: Pack) => manifest.for_checks !== true;

function formatPlaceHints(polygon: MultiPolygonRings, packs: readonly Pack[]): string {
  const coverages = packs.flatMap(({ manifest }) => coveragePolygonsOf(manifest));
  return coordinateOrderHint(polygon, coverages) + antimeridianHint(polygon);
}

/** `cover` tells how the polygon lies relative to the pack's coverage. */
interface Match {
  readonly pack: Pack;
  readonly cover: Cover;
}

/** Removes duplicates, because a pack is matched once per period. */
function removeDuplicates(packs: readonly Pack[]): readonly Pack[] {
  return [...new Map(packs.map((pack) => [pack.ref, pack])).values()];
}

function firstMatch(
  catalogue: PackCatalogue,
  polygon: MultiPolygonRings,
  year: number,
): Match | JobError {
  const forOtherYears: Pack[] = [];
  let overlapping: Match | null = null;
  for (const pack of catalogue.byPlace) {
    if (!hasYear(pack, year)) {
      forOtherYears.push(pack);
      continue;
    }
    const cover = coverBy(pack, polygon);
    if (cover === 'within') return { pack, cover };
    if (cover === 'partly') overlapping ??= { pack, cover };
  }
  if (overlapping !== null) return overlapping;
  const packs = removeDuplicates(forOtherYears).filter(
    (pack) => coverBy(pack, polygon) !== 'apart',
  );
  return packs.length > 0 ? noMapForYearError(packs, year) : uncoveredError(catalogue, polygon);
}

function matchByName(
  catalogue: PackCatalogue,
  name: string,
  polygon: MultiPolygonRings,
  year: number,
): Match | JobError {
  const pack = catalogue.findForYear(name, year);
  if (pack !== undefined) {
    const cover = coverBy(pack, polygon);
    // A polygon outside the coverage may be on the pack's grid, where predictions would not be marked as invalid.
    return cover === 'apart' ? outsideModelError(pack, polygon) : { pack, cover };
  }
  const named = catalogue.listByName(name);
  return named.length === 0 ? unknownModelError(catalogue, name) : noMapForYearError(named, year);
}

const coverBy = (pack: Pack, polygon: MultiPolygonRings): Cover =>
  coverOfAll(polygon, coveragePolygonsOf(pack.manifest));

/**
 * Describes the coverage by bounding boxes. These may be larger than the coverage, so a polygon inside them may still
 * be outside the coverage.
 */
function boundsOf(pack: Pack): string {
  const parts = coveragePolygonsOf(pack.manifest);
  const boxes = parts.length > 2 ? [parts.flat()] : parts;
  return `an area within ${boxes.map(describeBounds).join(' and ')}`;
}

/** Limits the length of a message, because a batch may have 1,000 of them. */
const LISTED_MODELS = 5;

function listPacks(
  packs: readonly Pack[],
  textOf: (pack: Pack) => string,
  separator: string,
): string {
  const more = packs.length - LISTED_MODELS;
  const texts = packs.slice(0, LISTED_MODELS).map(textOf);
  return `${texts.join(separator)}${more > 0 ? `${separator}and ${more} more, in GET /v1/models` : ''}`;
}

const refsOf = (packs: readonly Pack[]): string => listPacks(packs, ({ ref }) => ref, ', ');

function unknownModelError({ packs }: PackCatalogue, requested: string): JobError {
  return planningError(
    'model_unknown',
    `There is no model ${JSON.stringify(requested)}. Available models: ${refsOf(packs.filter(isOffered))} (the ID alone selects the first model with that ID and a map for the year).`,
  );
}

function noMapForYearError(packs: readonly Pack[], year: number): JobError {
  const [only] = packs;
  if (only !== undefined && packs.length === 1) return yearNotCoveredError(only, year);
  const list = listPacks(packs, (pack) => `${pack.ref} covers ${yearsOf(pack)}`, '; ');
  return planningError('year_not_covered', `No model for this job has a map for ${year}. ${list}.`);
}

function yearNotCoveredError(pack: Pack, year: number): JobError {
  return planningError(
    'year_not_covered',
    `${pack.ref} has no map for ${year}; it covers ${yearsOf(pack)}.`,
  );
}

function yearsOf({ manifest }: Pack): string {
  return listMapPeriods(manifest)
    .map(({ years, dataPeriod }) => (years ?? dataPeriod).join('–'))
    .join(', ');
}

function yearOutOfRangeError(year: number): JobError {
  const { first, last } = LIMITS.years;
  return planningError(
    'year_not_covered',
    `The year ${year} is outside the range ${first} to ${last}.`,
  );
}

function staticModelWarning([first, last]: Years, year: number) {
  return {
    code: 'static_model',
    message: `A static map of data from ${first}–${last}: the requested year (${year}) makes no difference.`,
  } as const;
}

function partlyCoveredWarning() {
  return {
    code: 'partly_outside_coverage',
    message:
      'Part of the polygon is outside the coverage of the model: predictions there may not be valid, and cells without covariates are nodata.',
  } as const;
}

function planningError(code: JobError['code'], message: string): JobError {
  return { code, message, location: null };
}
