import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divideIntoShares } from '../../../../lambdas/domain/patch-batch/shares.ts';

const blocksOf = (pointCounts: readonly number[]) =>
  pointCounts.map((pointCount, idx) => ({ idx, pointCount }));

describe('the shares of a job', () => {
  it('group patch-batches that together take at most a second', () => {
    expect(divideIntoShares(blocksOf([40, 60, 1, 99, 100]), 100)).toEqual([[0, 1], [2, 3], [4]]);
  });

  it('are single patch-batches if each takes longer', () => {
    expect(divideIntoShares(blocksOf([1_000, 2_000, 300]), 100)).toEqual([[0], [1], [2]]);
  });

  it('contain every patch-batch once, in order, and are as full as possible', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 300 }),
        (pointCounts, pointsPerSecond) => {
          const shares = divideIntoShares(blocksOf(pointCounts), pointsPerSecond);
          expect(shares.flat()).toEqual([...pointCounts.keys()]);
          const points = (share: readonly number[]) =>
            share.reduce((sum, idx) => sum + (pointCounts[idx] ?? 0), 0);
          shares.forEach((share, at) => {
            if (share.length > 1) expect(points(share)).toBeLessThanOrEqual(pointsPerSecond);
            const [next] = shares[at + 1] ?? [];
            if (next === undefined) return;
            expect(points([...share, next])).toBeGreaterThan(pointsPerSecond);
          });
        },
      ),
    );
  });
});
