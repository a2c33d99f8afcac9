import type { PackCatalogue } from '../../model/pack/catalogue.ts';
import { polygonsOf } from '../../model/pack/manifest.ts';
import type { Pack } from '../../model/pack/pack.ts';
import type { MultiPolygonRings } from '../../raster/geometry/polygon.ts';
import { type Cover, coverOfAll, describeBounds } from './coverage.ts';
import type { JobError, JobModel, JobWarning } from './job.ts';
import { antimeridianHint, orderHint } from './misplaced.ts';

export type ModelChoice =
  | {
      readonly kind: 'chosen';
      readonly pack: Pack;
      readonly model: JobModel;
      readonly warnings: readonly JobWarning[];
    }
  | { readonly kind: 'refused'; readonly error: JobError };

/**
 * The pack a job runs on: the one it asks for, or the first of the deployment that covers its
 * polygon wholly, or else the first that covers a part of it.
 */
export function chooseModel(
  catalogue: PackCatalogue,
  asked: string | null,
  polygon: MultiPolygonRings,
  year: number,
): ModelChoice {
  const covering =
    asked === null ? firstThatCovers(catalogue, polygon) : byName(catalogue, asked, polygon);
  if (covering === null) {
    return {
      kind: 'refused',
      error: asked === null ? uncovered(catalogue, polygon) : unknown(catalogue, asked),
    };
  }
  const { pack, cover } = covering;
  const period = periodOf(pack, year);
  if (period === null) return { kind: 'refused', error: yearNotCovered(pack, year) };
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
  return orderHint(polygon, coverages) + antimeridianHint(polygon);
}

/** A pack, and how a polygon lies to its coverage. */
interface Covering {
  readonly pack: Pack;
  readonly cover: Cover;
}

function firstThatCovers({ packs }: PackCatalogue, polygon: MultiPolygonRings): Covering | null {
  let first: Covering | null = null;
  for (const pack of packs) {
    const cover = coverBy(pack, polygon);
    if (cover === 'within') return { pack, cover };
    if (cover === 'partly') first ??= { pack, cover };
  }
  return first;
}

function byName(
  catalogue: PackCatalogue,
  name: string,
  polygon: MultiPolygonRings,
): Covering | null {
  const pack = catalogue.find(name);
  return pack === undefined ? null : { pack, cover: coverBy(pack, polygon) };
}

const coverBy = (pack: Pack, polygon: MultiPolygonRings): Cover =>
  coverOfAll(polygon, polygonsOf(pack.manifest));

/** The box is wider than the coverage itself: a polygon inside it may still lie outside. */
const boundsOf = (pack: Pack): string =>
  `an area within ${polygonsOf(pack.manifest).map(describeBounds).join(' and ')}, not all of that box`;

/** The data behind the map of that year; null when the pack has none for it. */
function periodOf(
  { manifest: { temporal } }: Pack,
  year: number,
): readonly [number, number] | null {
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

function yearNotCovered({ ref, manifest: { temporal } }: Pack, year: number): JobError {
  const periods = temporal.kind === 'period' ? temporal.periods : [];
  const list = periods.map(([first, last]) => `${first}–${last}`).join(', ');
  return refusal('year_not_covered', `${ref} has no map for ${year}; it covers ${list}.`);
}

function staticModel({ ref }: Pack, [first, last]: readonly [number, number], year: number) {
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
