import {
  buildOutline,
  type Course,
  doBoxesTouch,
  findCourses,
  type Outline,
} from '#engine/geometry/outline.ts';
import type { MultiPolygonRings, PolygonRings } from '#engine/geometry/polygon.ts';

/**
 * How a polygon lies relative to a pack's coverage: within it, edges included; partly in it; or apart, sharing at most
 * part of an edge.
 */
export type Cover = 'within' | 'partly' | 'apart';

/**
 * Classifies a valid polygon relative to a valid coverage, both in WGS84 degrees. Exact, except that a position that
 * rounding moved off an edge counts as on the edge.
 */
export function classifyCover(polygon: PolygonRings, coverage: PolygonRings): Cover {
  const [inner, outer] = [buildOutline(polygon), outlineOfCoverage(coverage)];
  if (!doBoxesTouch(inner.box, outer.box)) return 'apart';
  const courses = new Set<Course>();
  for (const ring of inner.rings)
    for (const course of findCourses(ring, outer)) courses.add(course);
  const enters = courses.has('inside') || courses.has('along');
  const leaves = courses.has('outside') || courses.has('against');
  if (courses.has('across') || (enters && leaves)) return 'partly';
  const [shell = [], ...holes] = outer.rings;
  // The polygon's outline alone does not reveal a hole of the coverage, or the whole coverage, inside the polygon.
  const hidden = enters ? holes : [shell];
  if (hidden.some((ring) => findCourses(ring, inner).has('inside'))) return 'partly';
  return enters ? 'within' : 'apart';
}

/** Classifies a polygon relative to a coverage of separate parts, such as one cut at the antimeridian. */
export function coverOfAll(polygon: MultiPolygonRings, coverage: MultiPolygonRings): Cover {
  let cover: Cover | null = null;
  // Stop at the first part that decides, because a polygon may have thousands.
  for (const rings of polygon) {
    const next = coverOfPart(rings, coverage);
    if (next === 'partly' || next !== (cover ?? next)) return 'partly';
    cover = next;
  }
  return cover ?? 'apart';
}

function coverOfPart(rings: PolygonRings, coverage: MultiPolygonRings): Cover {
  const byPart = coverage.map((part) => classifyCover(rings, part));
  if (byPart.includes('within')) return 'within';
  return byPart.includes('partly') ? 'partly' : 'apart';
}

export function describeBounds(coverage: PolygonRings): string {
  const lons = coverage.flat().map(([lon]) => lon);
  const lats = coverage.flat().map(([, lat]) => lat);
  const span = (values: readonly number[]) =>
    `${Math.min(...values).toFixed(4)} to ${Math.max(...values).toFixed(4)}`;
  return `lat ${span(lats)}, lon ${span(lons)}`;
}

/**
 * Returns the distance from a polygon's bounding box to the nearest of those of the coverage's parts, in degrees of
 * latitude. Accurate enough to compare coverages.
 */
export function distanceTo(coverage: readonly PolygonRings[], polygon: MultiPolygonRings): number {
  const { west, south, east, north } = buildOutline(polygon.flat()).box;
  const narrowing = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const distances = coverage
    .map((part) => outlineOfCoverage(part).box)
    .flatMap((box) =>
      // The distance across the antimeridian may be shorter.
      [-360, 0, 360].map((turn) => {
        const apart = Math.max(0, box.west + turn - east, west - box.east - turn);
        return Math.hypot(apart * narrowing, Math.max(0, box.south - north, south - box.north));
      }),
    );
  return Math.min(...distances);
}

/** Cached, because packs do not change within a deployment and each job is compared with the same coverages. */
const outlines = new WeakMap<PolygonRings, Outline>();

function outlineOfCoverage(coverage: PolygonRings): Outline {
  const known = outlines.get(coverage);
  if (known !== undefined) return known;
  const outline = buildOutline(coverage);
  outlines.set(coverage, outline);
  return outline;
}

/** Returns a hint if the polygon would be at least partly covered with its coordinates swapped; otherwise empty. */
export function coordinateOrderHint(
  polygon: MultiPolygonRings,
  coverages: readonly PolygonRings[],
): string {
  const turned = polygon.map((rings) =>
    rings.map((ring) => ring.map(([lon, lat]) => [lat, lon] as const)),
  );
  const fits = coverOfAll(turned, coverages) !== 'apart';
  return fits
    ? ' With latitude and longitude swapped, the polygon would be covered; GeoJSON has longitude first.'
    : '';
}

/**
 * Returns a hint if a ring spans more than half the globe: edges are straight lines in degrees, so a ring meant to
 * cross ±180° goes the other way round. Otherwise empty.
 */
export function antimeridianHint(polygon: MultiPolygonRings): string {
  const around = polygon.flat().some((ring) => {
    const longitudes = ring.map(([lon]) => lon);
    return Math.max(...longitudes) - Math.min(...longitudes) > 180;
  });
  return around
    ? ' The polygon seems to cross the antimeridian. Split it there into a MultiPolygon (RFC 7946, section 3.1.9).'
    : '';
}
