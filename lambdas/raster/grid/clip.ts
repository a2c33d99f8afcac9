import type { Position, Ring } from '../geometry/polygon.ts';
import type { Grid } from './grid.ts';
import type { Transform } from './transform.ts';

/** West, south, east, north in WGS84 degrees. */
export type LonLatBox = readonly [number, number, number, number];

const SAMPLES_PER_EDGE = 64;

/**
 * A box well around the grid in longitude and latitude. What lies outside it can't reach a cell, so
 * it needs no projecting: far from home projections fold, and long edges take many points. Null
 * where no such box is to be had (the grid's edge has no image in WGS84).
 */
export function surroundingBox(grid: Grid, transform: Transform): LonLatBox | null {
  const width = grid.width * grid.cell_size;
  const height = grid.height * grid.cell_size;
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i <= SAMPLES_PER_EDGE; i += 1) {
    const x = grid.origin[0] + (width * i) / SAMPLES_PER_EDGE;
    const y = grid.origin[1] - (height * i) / SAMPLES_PER_EDGE;
    const edge: readonly Position[] = [
      [x, grid.origin[1]],
      [x, grid.origin[1] - height],
      [grid.origin[0], y],
      [grid.origin[0] + width, y],
    ];
    for (const point of edge) {
      const [lon, lat] = transform.inverse(point);
      if (!Number.isFinite(lon) || !Number.isFinite(lat)) return null;
      box[0] = Math.min(box[0], lon);
      box[1] = Math.min(box[1], lat);
      box[2] = Math.max(box[2], lon);
      box[3] = Math.max(box[3], lat);
    }
  }
  for (const pole of [-90, 90]) {
    if (!holds(grid, transform.forward([0, pole]))) continue;
    // Every meridian ends inside: the edges' own longitudes and latitudes bound nothing.
    [box[0], box[2]] = [-180, 180];
    box[pole < 0 ? 1 : 3] = pole;
  }
  const padLon = 0.25 * (box[2] - box[0]) + 0.01;
  const padLat = 0.25 * (box[3] - box[1]) + 0.01;
  return [box[0] - padLon, box[1] - padLat, box[2] + padLon, box[3] + padLat];
}

function holds(grid: Grid, [x, y]: Position): boolean {
  const [west, north] = grid.origin;
  return (
    x >= west &&
    x <= west + grid.width * grid.cell_size &&
    y <= north &&
    y >= north - grid.height * grid.cell_size
  );
}

/**
 * Sutherland and Hodgman (1974), one side of the box after the other. The clipped ring may run
 * along the box's sides twice; both runs cancel by parity, and no cell is there.
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
    if (fromInside !== toInside) kept.push(intersection(from, to, axis, limit));
    if (toInside) kept.push(to);
  }
  const first = kept[0];
  return first === undefined ? [] : [...kept, first];
}

/** The same point whichever way the edge runs, so that neighbours stay neighbours. */
function intersection(a: Position, b: Position, axis: 0 | 1, limit: number): Position {
  const [from, to] = a[axis] < b[axis] ? [a, b] : [b, a];
  const other = axis === 0 ? 1 : 0;
  const t = (limit - from[axis]) / (to[axis] - from[axis]);
  const across = from[other] + t * (to[other] - from[other]);
  return axis === 0 ? [limit, across] : [across, limit];
}
