import fc from 'fast-check';
import type { Position, Ring } from '../../../engine/geometry/polygon.ts';

export const closeRing = (positions: readonly Position[]): Ring => [
  ...positions,
  ...positions.slice(0, 1),
];
export const firstNumbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/**
 * Returns one ring of thin teeth from south-west to north-east, in which every edge's bounding box meets every other's.
 */
export function diagonalComb(teeth: number): Ring {
  const step = 1 / teeth;
  const tooth = (i: number): Position[] => {
    const [near, far] = [i * step, (i + 0.5) * step];
    return [
      [near, -near],
      [1 + near, 1 - near],
      [1 + far, 1 - far],
      [far, -far],
    ];
  };
  return closeRing([...firstNumbers(teeth).flatMap(tooth), [0.9, -1.1], [-0.1, -0.1]]);
}

/** Draws small whole numbers, so that vertices, edges and directions often coincide. */
export const gridPosition = fc.tuple(
  fc.integer({ min: 0, max: 6 }),
  fc.integer({ min: 0, max: 6 }),
);

/** Draws outlines around places from 75° south to 75° north, at most twice one of the sizes across, in degrees. */
export function outlines(sizes: readonly number[], count: number): readonly Position[][] {
  const shape = fc.record({
    lon: fc.double({ min: -170, max: 170, noNaN: true }),
    lat: fc.double({ min: -75, max: 75, noNaN: true }),
    size: fc.constantFrom(...sizes),
    reach: fc.array(fc.double({ min: 0.3, max: 1, noNaN: true }), { minLength: 5, maxLength: 40 }),
  });
  return fc.sample(shape, { numRuns: count, seed: 7 }).map(({ lon, lat, size, reach }) => {
    const ring = reach.map((r, i): Position => {
      const angle = (2 * Math.PI * i) / reach.length;
      return [lon + size * r * Math.cos(angle), lat + size * r * Math.sin(angle)];
    });
    return [...ring, ...ring.slice(0, 1)];
  });
}

/** Returns the same ring with each edge cut into pieces, because a geodesic between two places bends poleward. */
export function cutEdges(ring: readonly Position[], pieces: number): Position[] {
  const points = ring.slice(1).flatMap((to, i) => {
    const [lon, lat] = ring[i] ?? to;
    return Array.from({ length: pieces }, (_, piece): Position => {
      const share = piece / pieces;
      return [lon + (to[0] - lon) * share, lat + (to[1] - lat) * share];
    });
  });
  return [...points, ...ring.slice(-1)];
}
