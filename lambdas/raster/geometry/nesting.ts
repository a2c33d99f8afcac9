import { orient2d } from 'robust-predicates';
import type { Position, Ring } from './polygon.ts';

export type Side = 'inside' | 'outside' | 'boundary';

/** Where a ring lies to another that it does not cross; 'both' when it passes through a touch point. */
export type RingSide = 'inside' | 'outside' | 'both' | 'same';

/** Exact, by the parity of edges that a ray to the east crosses (half-open in y). */
export function sideOf(point: Position, ring: Ring): Side {
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

/** `thorough` looks at every vertex and edge's middle: needed only for rings that touch. */
export function ringSide(ring: Ring, other: Ring, thorough: boolean): RingSide {
  let side: 'inside' | 'outside' | null = null;
  for (const point of pointsAlong(ring)) {
    const here = sideOf(point, other);
    if (here === 'boundary') continue;
    if (!thorough) return here;
    if (side !== null && side !== here) return 'both';
    side = here;
  }
  return side ?? 'same';
}

function* pointsAlong(ring: Ring): Generator<Position> {
  yield* ring;
  for (let i = 1; i < ring.length; i += 1) {
    const a = ring[i - 1];
    const b = ring[i];
    if (a !== undefined && b !== undefined) yield [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  }
}
