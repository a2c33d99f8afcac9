import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarise } from '../../../../lambdas/domain/job/finishing/summarise-job.ts';
import { computeSummary, manifestWith } from '../../../support/domain/summary-of.ts';

const cells = (count: number) => ({ count, min: 1, max: 3, mean: 2, squaredDeviations: count });

/** A distribution with bounds 1 and 100. */
const distribution = { first_target: 1, thresholds: [5, 50], lower: 1, upper: 100 };

describe('an impossible value of the property', () => {
  /** A block of eleven columns and nine rows. */
  const field = [13, 10] as const;

  it('is counted, and a mean of impossible values has an interval but no stock', async () => {
    const manifest = await manifestWith({});
    const summary = await computeSummary(manifest, field, (col) => [col < 4 ? 1 : -20, -30, 5]);
    expect(summary).toMatchObject({ impossible_point_count: 9 * 9, stock: null });
    expect(summary?.mean).toBeLessThan(-10);
    expect(summary?.lower).toBeLessThan(summary?.mean ?? 0);
  });

  it('is also a value outside the support of the distribution, but not one at its ends', async () => {
    const manifest = { ...(await manifestWith({})), distribution };
    const values = [0.5, 1, 50, 100, 100.5];
    const summary = await computeSummary(manifest, field, (col) => {
      const value = values[col - 2] ?? 50;
      return [value, value, value];
    });
    expect(summary).toMatchObject({ impossible_point_count: 2 * 9, outside_bounds_point_count: 0 });
    expect(summary?.stock).not.toBeNull();
  });

  it('is counted even if the model declares no errors', async () => {
    const summary = await computeSummary(await manifestWith(null), field, () => [-1, 0, 0]);
    expect(summary).toMatchObject({ impossible_point_count: 11 * 9, lower: null });
    expect(summary?.outside_bounds_point_count).toBeNull();
  });
});

describe.each([
  ['the training range', 'outsideTraining', 'outside_share'],
  ['the area of applicability', 'outsideApplicability', 'outside_applicability_share'],
] as const)('the share of the cells outside %s', (_, field, share) => {
  const sums = { covered: 1, belonging: 1, predicted: 1, values: 1, impossible: 0, errors: null };
  const job = { hectares: 1, isPartlyOutside: false, correlated: null, cells: cells(8) };
  const shareOf = async (...blocks: readonly (number | undefined)[]) => {
    const counted = blocks.map((count) =>
      count === undefined ? sums : { ...sums, [field]: count },
    );
    return summarise(await manifestWith(null), { ...job, sums: counted })?.[share];
  };

  it('covers all blocks together, in any order', async () => {
    expect(await shareOf(1, 0, 2)).toBe(3 / 8);
    expect(await shareOf(2, 1, 0)).toBe(3 / 8);
    expect(await shareOf(0, 0)).toBe(0);
  });

  it('is null if no block has counted them', async () => {
    expect(await shareOf(undefined, undefined)).toBeNull();
  });
});

describe('a mean outside its own bounds', () => {
  it('is counted in each cell', async () => {
    const summary = await computeSummary(await manifestWith({}), [13, 10], (col) => {
      if (col === 2) return [40, 41, 50];
      return col === 3 ? [40, 30, 39] : [40, 40, 40];
    });
    expect(summary).toMatchObject({ outside_bounds_point_count: 2 * 9, impossible_point_count: 0 });
  });

  it("does not move the field's mean outside the field's interval", async () => {
    const manifests = [
      await manifestWith({ systematic_relative_sd: 0.1 }),
      { ...(await manifestWith({})), distribution },
    ];
    const value = fc.integer({ min: -20, max: 120 });
    const cells = fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...manifests), cells, async (manifest, values) => {
        const summary = await computeSummary(manifest, [5, 4], (col, row) => {
          return values[(col + 3 * row) % values.length] ?? null;
        });
        expect(summary?.lower).toBeLessThanOrEqual(summary?.mean ?? Number.NaN);
        expect(summary?.upper).toBeGreaterThanOrEqual(summary?.mean ?? Number.NaN);
      }),
    );
  });
});
