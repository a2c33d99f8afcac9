import { orient2d } from 'robust-predicates';
import type { PolygonRings, Position, Ring } from './polygon.ts';

export type Side = 'inside' | 'outside' | 'boundary';

/** Exact: counts the edges that a ray to the east crosses (edges are half-open in y). */
function sideOf(point: Position, ring: Ring): Side {
  const [x, y] = point;
  let inside = false;
  for (let i = 1; i < ring.length; i += 1) {
    const a = ring[i - 1];
    const b = ring[i];
    if (a === undefined || b === undefined) continue;
    if (Math.min(a[1], b[1]) > y || Math.max(a[1], b[1]) < y) continue;
    const turn = orient2d(a[0], a[1], b[0], b[1], x, y);
    if (turn === 0 && x >= Math.min(a[0], b[0]) && x <= Math.max(a[0], b[0])) return 'boundary';
    if (a[1] > y === b[1] > y) continue;
    // orient2d is negative where the point is left of the edge (y grows north).
    const eastwards = b[1] > a[1] ? turn < 0 : turn > 0;
    if (eastwards) inside = !inside;
  }
  return inside ? 'inside' : 'outside';
}

/** Edges included. */
export function isInPolygon(point: Position, [shell = [], ...holes]: PolygonRings): boolean {
  if (sideOf(point, shell) === 'outside') return false;
  return !holes.some((hole) => sideOf(point, hole) === 'inside');
}
