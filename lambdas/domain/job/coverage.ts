import { type Edge, edgesOf, meet } from '../../raster/geometry/edges.ts';
import { sideOf } from '../../raster/geometry/nesting.ts';
import type {
  MultiPolygonRings,
  PolygonRings,
  Position,
  Ring,
} from '../../raster/geometry/polygon.ts';

/** How a polygon lies to a pack's coverage. Touching its edge from inside is still within. */
export type Cover = 'within' | 'partly' | 'apart';

/** Both in WGS84 degrees and valid; exact but for edges that leave through a vertex and return. */
export function coverOf(polygon: MultiPolygonRings, coverage: PolygonRings): Cover {
  const box = boxOf(polygon);
  const border = borderOf(coverage);
  if (!mayMeet(box, border.box)) return 'apart';
  const meeting = meetingOf(polygon, box, border);
  if (meeting === 'cross') return 'partly';
  // Where nothing touches, a ring lies wholly on one side, and any of its places tells which.
  const places = meeting === 'touch' ? placesOf(polygon) : polygon.flat().flatMap(firstPlace);
  const sides = new Set(places.map((place) => sideOfPolygon(place, coverage)));
  if (sides.has('outside')) {
    if (sides.has('inside')) return 'partly';
    // Nothing of the polygon's outline is inside, but the coverage may be inside the polygon.
    return polygon.some((rings) => sideOfPolygon(firstOf(coverage), rings) === 'inside')
      ? 'partly'
      : 'apart';
  }
  // A hole of the coverage inside the polygon: its outline does not show it.
  const [, ...holes] = coverage;
  const holed = holes.some((hole) =>
    polygon.some((rings) => sideOfPolygon(hole[0] ?? [0, 0], rings) === 'inside'),
  );
  return holed ? 'partly' : 'within';
}

/** The same of a coverage in parts that lie apart, as the antimeridian cuts it: it cuts polygons too. */
export function coverOfAll(polygon: MultiPolygonRings, coverage: MultiPolygonRings): Cover {
  const covers = polygon.map((rings): Cover => {
    const byPart = coverage.map((part) => coverOf([rings], part));
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

interface Border {
  readonly edges: readonly Edge[];
  readonly box: Span;
}

/** The packs of a deployment stay as they are: each job of a thousand is held against the same. */
const borders = new WeakMap<PolygonRings, Border>();

function borderOf(coverage: PolygonRings): Border {
  const known = borders.get(coverage);
  if (known !== undefined) return known;
  const border = { edges: edgesOf([coverage]), box: boxOf([coverage]) };
  borders.set(coverage, border);
  return border;
}

function meetingOf(
  polygon: MultiPolygonRings,
  box: Span,
  { edges }: Border,
): 'cross' | 'touch' | 'apart' {
  const near = edges.filter((edge) => mayMeet(box, edge));
  if (near.length === 0) return 'apart';
  let touches = false;
  for (const edge of edgesOf(polygon)) {
    for (const border of near) {
      if (!mayMeet(edge, border)) continue;
      const { kind } = meet(edge, border);
      if (kind === 'cross') return 'cross';
      touches ||= kind !== 'apart';
    }
  }
  return touches ? 'touch' : 'apart';
}

/** Two opposite corners of a box, as an edge's ends are. */
type Span = Pick<Edge, 'from' | 'to'>;

function boxOf(polygon: MultiPolygonRings): Span {
  let [west, south] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [east, north] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const rings of polygon) {
    for (const ring of rings) {
      for (const [lon, lat] of ring) {
        west = Math.min(west, lon);
        south = Math.min(south, lat);
        east = Math.max(east, lon);
        north = Math.max(north, lat);
      }
    }
  }
  return { from: [west, south], to: [east, north] };
}

/** Whether their boxes touch: nearly all pairs lie apart, and the exact test costs far more. */
function mayMeet(a: Span, b: Span): boolean {
  return (
    Math.max(a.from[0], a.to[0]) >= Math.min(b.from[0], b.to[0]) &&
    Math.min(a.from[0], a.to[0]) <= Math.max(b.from[0], b.to[0]) &&
    Math.max(a.from[1], a.to[1]) >= Math.min(b.from[1], b.to[1]) &&
    Math.min(a.from[1], a.to[1]) <= Math.max(b.from[1], b.to[1])
  );
}

/** Vertices, and the middles of edges: an edge between two vertices on the border may lie outside. */
function placesOf(polygon: MultiPolygonRings): Position[] {
  return edgesOf(polygon).flatMap(({ from, to }): Position[] => [
    from,
    [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2],
  ]);
}

function firstPlace([first]: Ring): Position[] {
  return first === undefined ? [] : [first];
}

function sideOfPolygon(
  place: Position,
  [shell, ...holes]: PolygonRings,
): 'inside' | 'outside' | 'boundary' {
  if (shell === undefined) return 'outside';
  const side = sideOf(place, shell);
  if (side !== 'inside') return side;
  for (const hole of holes) {
    const inHole = sideOf(place, hole);
    if (inHole !== 'outside') return inHole === 'inside' ? 'outside' : 'boundary';
  }
  return 'inside';
}

function firstOf(coverage: PolygonRings): Position {
  return coverage[0]?.[0] ?? [Number.NaN, Number.NaN];
}
