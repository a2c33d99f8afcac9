import { type Edge, edgesOf, meet } from '../../raster/geometry/edges.ts';
import { sideOf } from '../../raster/geometry/nesting.ts';
import type { MultiPolygonRings, PolygonRings, Position } from '../../raster/geometry/polygon.ts';

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
  const places =
    meeting === 'touch' ? placesOf(polygon) : polygon.flat().flatMap((ring) => ring.slice(0, 1));
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

interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

interface Border {
  readonly edges: readonly { readonly edge: Edge; readonly box: Box }[];
  readonly box: Box;
}

/** The packs of a deployment stay as they are: each job of a thousand is held against the same. */
const borders = new WeakMap<PolygonRings, Border>();

function borderOf(coverage: PolygonRings): Border {
  const known = borders.get(coverage);
  if (known !== undefined) return known;
  const edges = edgesOf([coverage]).map((edge) => ({ edge, box: boxOfEdge(edge) }));
  const border = { edges, box: boxOf([coverage]) };
  borders.set(coverage, border);
  return border;
}

function meetingOf(
  polygon: MultiPolygonRings,
  box: Box,
  { edges }: Border,
): 'cross' | 'touch' | 'apart' {
  const near = edges.filter((border) => mayMeet(box, border.box));
  if (near.length === 0) return 'apart';
  let touches = false;
  for (const edge of edgesOf(polygon)) {
    const around = boxOfEdge(edge);
    for (const border of near) {
      if (!mayMeet(around, border.box)) continue;
      const { kind } = meet(edge, border.edge);
      if (kind === 'cross') return 'cross';
      touches ||= kind !== 'apart';
    }
  }
  return touches ? 'touch' : 'apart';
}

function boxOf(polygon: MultiPolygonRings): Box {
  let [west, south] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [east, north] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const rings of polygon) {
    for (const ring of rings) {
      for (const position of ring) {
        west = Math.min(west, position[0]);
        south = Math.min(south, position[1]);
        east = Math.max(east, position[0]);
        north = Math.max(north, position[1]);
      }
    }
  }
  return { west, south, east, north };
}

function boxOfEdge({ from, to }: Edge): Box {
  return {
    west: Math.min(from[0], to[0]),
    south: Math.min(from[1], to[1]),
    east: Math.max(from[0], to[0]),
    north: Math.max(from[1], to[1]),
  };
}

/** Whether they touch: nearly all pairs of edges lie apart, and the exact test costs far more. */
function mayMeet(a: Box, b: Box): boolean {
  return a.east >= b.west && a.west <= b.east && a.north >= b.south && a.south <= b.north;
}

/** Vertices, and the middles of edges: an edge between two vertices on the border may lie outside. */
function placesOf(polygon: MultiPolygonRings): Position[] {
  return edgesOf(polygon).flatMap(({ from, to }): Position[] => [
    from,
    [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2],
  ]);
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
