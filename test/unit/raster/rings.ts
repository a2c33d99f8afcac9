import fc from 'fast-check';
import type { Position, Ring } from '../../../lambdas/raster/geometry/polygon.ts';

export const closed = (positions: readonly Position[]): Ring => [
  ...positions,
  ...positions.slice(0, 1),
];
export const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/** One ring of thin teeth from south-west to north-east: every edge's box meets every other's. */
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
  return closed([...numbers(teeth).flatMap(tooth), [0.9, -1.1], [-0.1, -0.1]]);
}

/** Small whole numbers, so that vertices, edges and directions often coincide. */
export const gridPosition = fc.tuple(
  fc.integer({ min: 0, max: 6 }),
  fc.integer({ min: 0, max: 6 }),
);
