import type { Position, Ring } from '../../geometry/polygon.ts';
import type { Transform } from '../../projection/transform.ts';
import { type Grid, isGeographic } from './grid.ts';

/**
 * West, south, east, north in WGS84 degrees. Longitudes exceed ±180 where the grid crosses the antimeridian. They are
 * infinite if the grid is not in degrees and contains a pole, where all meridians meet.
 */
export type LonLatBox = readonly [number, number, number, number];

const SAMPLES_PER_EDGE = 64;

/** Cached: a grid does not change, and an estimate may plan many jobs on it. */
const boxes = new WeakMap<Grid, LonLatBox | null>();

/**
 * A padded bounding box of the grid in longitude and latitude. Geometry outside it cannot reach a cell and is not
 * projected: projections fold far from their area, and long edges take many points. A box with finite longitudes is at
 * most 360° wide, so that it contains each place once. Null if the grid has no such box, because its edge has a point
 * without an image in WGS84.
 */
export function findSurroundingBox(grid: Grid, transform: Transform): LonLatBox | null {
  const known = boxes.get(grid);
  if (known !== undefined) return known;
  const box = findProjectedBox(grid, transform);
  boxes.set(grid, box);
  return box;
}

function findProjectedBox(grid: Grid, transform: Transform): LonLatBox | null {
  const width = grid.width * grid.cell_size;
  const height = grid.height * grid.cell_size;
  const [west, north] = grid.origin;
  const middle: Position = [west + width / 2, north - height / 2];
  const around = isGeographic(grid) ? middle[0] : transform.inverse(middle)[0];
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i <= SAMPLES_PER_EDGE; i += 1) {
    const x = west + (width * i) / SAMPLES_PER_EDGE;
    const y = north - (height * i) / SAMPLES_PER_EDGE;
    const edge: readonly Position[] = [
      [x, north],
      [x, north - height],
      [west, y],
      [west + width, y],
    ];
    for (const point of edge) {
      const [found, lat] = transform.inverse(point);
      const lon = unwrapLongitude(found, isGeographic(grid) ? point[0] : around);
      if (!Number.isFinite(lon) || !Number.isFinite(lat)) return null;
      box[0] = Math.min(box[0], lon);
      box[1] = Math.min(box[1], lat);
      box[2] = Math.max(box[2], lon);
      box[3] = Math.max(box[3], lat);
    }
  }
  const padLat = 0.25 * (box[3] - box[1]) + 0.01;
  const padLon = 0.25 * (box[2] - box[0]) + 0.01;
  const spare = (FULL_TURN - (box[2] - box[0])) / 2;
  // A global grid in degrees ends where it begins. In other CRSs the samples may miss the extremes.
  if (padLon <= spare) [box[0], box[2]] = [box[0] - padLon, box[2] + padLon];
  else if (isGeographic(grid)) [box[0], box[2]] = [box[0] - spare, box[2] + spare];
  else [box[0], box[2]] = [around - FULL_TURN / 2, around + FULL_TURN / 2];
  for (const pole of [-90, 90]) {
    if (!containsPosition(grid, transform.forward([0, pole]))) continue;
    // Every meridian ends at the pole, so the grid's edges do not bound its longitudes and
    // latitudes.
    if (!isGeographic(grid)) [box[0], box[2]] = [-Infinity, Infinity];
    box[pole < 0 ? 1 : 3] = pole;
  }
  return [box[0], box[1] - padLat, box[2], box[3] + padLat];
}

const FULL_TURN = 360;

/** The longitude plus a multiple of 360°, so that it is as near as possible to `to`. */
export function unwrapLongitude(lon: number, to: number): number {
  return lon + FULL_TURN * Math.round((to - lon) / FULL_TURN);
}

function containsPosition(grid: Grid, [x, y]: Position): boolean {
  const [west, north] = grid.origin;
  return (
    x >= west &&
    x <= west + grid.width * grid.cell_size &&
    y <= north &&
    y >= north - grid.height * grid.cell_size
  );
}

/**
 * The parts of a ring within the box. If the longitudes of the box are finite, also the parts of copies of the ring
 * that are shifted by ±360°. Edges are straight in degrees.
 */
export function ringsWithin(ring: Ring, box: LonLatBox): readonly Ring[] {
  const turns = Number.isFinite(box[0]) ? [-FULL_TURN, 0, FULL_TURN] : [0];
  return turns.flatMap((turn) => {
    const turned = turn === 0 ? ring : ring.map(([lon, lat]): Position => [lon + turn, lat]);
    const clipped = clipRing(turned, box);
    return clipped === turned || hasArea(clipped) ? [clipped] : [];
  });
}

/** False for a ring that only touches a side of the box: clipping turns it into a line along that side. */
function hasArea(ring: Ring): boolean {
  const [first] = ring;
  return [0, 1].every((axis) => ring.some((point) => point[axis] !== first?.[axis]));
}

/**
 * Sutherland and Hodgman (1974), one side of the box after the other. The clipped ring may run along a side of the
 * box twice; both runs cancel by parity.
 */
export function clipRing(ring: Ring, [west, south, east, north]: LonLatBox): Ring {
  const sides: readonly [axis: 0 | 1, limit: number, keep: 1 | -1][] = [
    [0, west, 1],
    [0, east, -1],
    [1, south, 1],
    [1, north, -1],
  ];
  let clipped = ring;
  for (const [axis, limit, keep] of sides) {
    if (clipped.every((point) => keep * (point[axis] - limit) >= 0)) continue;
    clipped = clipToSide(clipped, axis, limit, keep);
    if (clipped.length < 4) return [];
  }
  return clipped;
}

function clipToSide(ring: Ring, axis: 0 | 1, limit: number, keep: 1 | -1): Ring {
  const kept: Position[] = [];
  for (let i = 1; i < ring.length; i += 1) {
    const from = ring[i - 1];
    const to = ring[i];
    if (from === undefined || to === undefined) continue;
    const fromInside = keep * (from[axis] - limit) >= 0;
    const toInside = keep * (to[axis] - limit) >= 0;
    if (fromInside !== toInside) kept.push(intersectAxis(from, to, axis, limit));
    if (toInside) kept.push(to);
  }
  const first = kept[0];
  return first === undefined ? [] : [...kept, first];
}

/**
 * The result does not depend on the edge's direction, so that polygons that share an edge still share it after
 * clipping.
 */
function intersectAxis(a: Position, b: Position, axis: 0 | 1, limit: number): Position {
  const [from, to] = a[axis] < b[axis] ? [a, b] : [b, a];
  const other = axis === 0 ? 1 : 0;
  const t = (limit - from[axis]) / (to[axis] - from[axis]);
  const across = from[other] + t * (to[other] - from[other]);
  return axis === 0 ? [limit, across] : [across, limit];
}
