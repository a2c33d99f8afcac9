import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listEdges } from '../../../engine/geometry/edges.ts';
import type { Position } from '../../../engine/geometry/polygon.ts';
import { isPlainlySimple } from '../../../engine/geometry/simple-ring.ts';
import { sweepRings } from '../../../engine/geometry/sweep.ts';
import { findInvalidity } from '../../../engine/geometry/validity.ts';
import { closeRing, diagonalComb, firstNumbers, gridPosition } from '../../support/raster/rings.ts';
import { runs } from '../../support/runs.ts';

describe('the fast test of a simple ring', () => {
  it('accepts the rings that the sweep accepts, except those that repeat a position', () => {
    const ring = fc.array(gridPosition, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(ring, (positions) => {
        const edges = listEdges([[closeRing(positions)]]);
        const isRepeating = edges.length < positions.length;
        const isSimple = edges.length >= 3 && sweepRings(edges).kind === 'nesting';
        expect(isPlainlySimple(closeRing(positions))).toBe(isSimple && !isRepeating);
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('agrees with the sweep if edges are split into too many pieces to compare pairwise', () => {
    const ring = fc.array(gridPosition, { minLength: 3, maxLength: 8 });
    const PIECES = 16;
    const VERTICAL_EDGES: Position[] = [
      [2, 2],
      [2, 1],
      [2, 0],
      [0, 0],
      [2, 3],
    ];
    fc.assert(
      fc.property(ring, (positions) => {
        const whole = closeRing(positions.map(([x, y]): Position => [x * PIECES, y * PIECES]));
        const pieces = whole.slice(1).flatMap(([x, y], i) => {
          const [x0, y0] = whole[i] ?? [x, y];
          return firstNumbers(PIECES).map(
            (n): Position => [x0 + ((x - x0) / PIECES) * n, y0 + ((y - y0) / PIECES) * n],
          );
        });
        const split = closeRing(pieces);
        if (isPlainlySimple(split)) expect(isPlainlySimple(whole)).toBe(true);
        else expect(findInvalidity([[split]]) === null).toBe(findInvalidity([[whole]]) === null);
      }),
      // The pieces of vertical edges form too many pairs, so they are left to the sweep.
      { numRuns: runs(2_000), examples: [[VERTICAL_EDGES]] },
    );
  });

  it('accepts as many vertices as a job may have', () => {
    const outline = firstNumbers(10_000).map((i): Position => {
      const angle = (2 * Math.PI * i) / 10_000;
      const reach = 1 + 0.2 * Math.sin(9 * angle);
      return [5 + reach * Math.cos(angle), 51 + reach * Math.sin(angle)];
    });
    expect(isPlainlySimple(closeRing(outline))).toBe(true);
    const crossed = outline.with(5_000, outline[7_000] ?? [0, 0]);
    expect(isPlainlySimple(closeRing(crossed))).toBe(false);
  });

  it('leaves a ring with too many candidate pairs to the sweep', () => {
    const comb = diagonalComb(2_490);
    expect(isPlainlySimple(comb)).toBe(false);
    expect(findInvalidity([[comb]])).toBeNull();
  });
});
