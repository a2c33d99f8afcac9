import {
  type Course,
  coursesOf,
  mayMeet,
  type Outline,
  outlineOf,
} from '../../geometry/outline.ts';
import type { MultiPolygonRings, PolygonRings } from '../../geometry/polygon.ts';

/**
 * How a polygon lies to a pack's coverage: within it, edges included; overlapping it; or apart, with
 * at most a part of an edge in common.
 */
export type Cover = 'within' | 'partly' | 'apart';

/** Both in WGS84 degrees and valid. Exact, but that a place beside an edge by rounding lies on it. */
export function coverOf(polygon: PolygonRings, coverage: PolygonRings): Cover {
  const [inner, outer] = [outlineOf(polygon), outlineOfCoverage(coverage)];
  if (!mayMeet(inner.box, outer.box)) return 'apart';
  const courses = new Set<Course>();
  for (const ring of inner.rings) for (const course of coursesOf(ring, outer)) courses.add(course);
  const enters = courses.has('inside') || courses.has('along');
  const leaves = courses.has('outside') || courses.has('against');
  if (courses.has('across') || (enters && leaves)) return 'partly';
  const [shell = [], ...holes] = outer.rings;
  // The polygon's outline does not show a hole of the coverage inside it, nor a whole coverage.
  const hidden = enters ? holes : [shell];
  if (hidden.some((ring) => coursesOf(ring, inner).has('inside'))) return 'partly';
  return enters ? 'within' : 'apart';
}

/** The same of a coverage in parts that lie apart, as the antimeridian cuts it: it cuts polygons too. */
export function coverOfAll(polygon: MultiPolygonRings, coverage: MultiPolygonRings): Cover {
  const covers = polygon.map((rings): Cover => {
    const byPart = coverage.map((part) => coverOf(rings, part));
    if (byPart.includes('within')) return 'within';
    return byPart.includes('partly') ? 'partly' : 'apart';
  });
  const [first = 'apart'] = covers;
  return covers.every((cover) => cover === first) ? first : 'partly';
}

/** Outer bounds of a coverage, as a person reads them. */
export function describeBounds(coverage: PolygonRings): string {
  const lons = coverage.flat().map(([lon]) => lon);
  const lats = coverage.flat().map(([, lat]) => lat);
  const span = (values: readonly number[]) =>
    `${Math.min(...values).toFixed(4)} to ${Math.max(...values).toFixed(4)}`;
  return `lon ${span(lons)}, lat ${span(lats)}`;
}

/** The packs of a deployment stay as they are: each job of a thousand is held against the same. */
const outlines = new WeakMap<PolygonRings, Outline>();

function outlineOfCoverage(coverage: PolygonRings): Outline {
  const known = outlines.get(coverage);
  if (known !== undefined) return known;
  const outline = outlineOf(coverage);
  outlines.set(coverage, outline);
  return outline;
}
