import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  computeErrorSd,
  computeMeanInterval,
} from '../../../../engine/raster/summary/mean-interval.ts';

const Z = 1.6448536269514722;
const ANY = { lower: -Infinity, upper: Infinity };

/** The interval of an area whose cells have these half-widths, with k = SE ÷ σ̄. */
function intervalOf(lower: number, upper: number, k: number, support = ANY, mean = 50) {
  const sd = computeErrorSd(lower, upper, Z);
  const widths = { sd: 200 * sd, lower: 200 * lower, upper: 200 * upper };
  return computeMeanInterval({
    mean,
    standardError: k * sd,
    widths,
    squareMetres: 200,
    z: Z,
    support,
  });
}

describe('the interval of a mean', () => {
  const width = fc.double({ min: 0, max: 100, noNaN: true });
  it.each([Z, 1.959963984540054])('contains the mean, however skewed: z %d', (z) => {
    const k = fc.double({ min: 0, max: 3, noNaN: true });
    fc.assert(
      fc.property(width, width, k, (lower, upper, ratio) => {
        const sd = computeErrorSd(lower, upper, z);
        const errors = { mean: 0, standardError: ratio * sd, squareMetres: 1, z, support: ANY };
        const interval = computeMeanInterval({ ...errors, widths: { sd, lower, upper } });
        expect(interval.lower).toBeLessThanOrEqual(1e-9);
        expect(interval.upper).toBeGreaterThanOrEqual(-1e-9);
      }),
    );
  });

  it('equals the cell’s interval for one cell, and M ± z SE for many', () => {
    const one = intervalOf(9, 21, 1);
    expect([one.lower, one.upper]).toEqual([expect.closeTo(41, 9), expect.closeTo(71, 9)]);
    const { lower, upper } = intervalOf(9, 21, 1e-3);
    const half = 1e-3 * Z * computeErrorSd(9, 21, Z);
    expect((50 - lower) / half).toBeCloseTo(1, 2);
    expect((upper - 50) / half).toBeCloseTo(1, 2);
  });

  it('comes only from the shared error if cells have no width', () => {
    const widths = { sd: 0, lower: 0, upper: 0 };
    const errors = { mean: 50, standardError: 2, widths, squareMetres: 200, z: Z };
    const { lower, upper } = computeMeanInterval({ ...errors, support: ANY });
    expect([lower, upper]).toEqual([50 - 2 * Z, 50 + 2 * Z]);
  });

  it('ends at the limits of the property, unless the mean itself is beyond', () => {
    const support = { lower: 0, upper: 60 };
    expect(intervalOf(70, 30, 1, support)).toEqual({ lower: 0, upper: 60 });
    expect(intervalOf(30, 30, 1, support, 61).upper).toBeCloseTo(91, 9);
    expect(intervalOf(30, 30, 1, support, -1).lower).toBeCloseTo(-31, 9);
  });
});

describe('the standard deviation of an error', () => {
  it('is the half-width ÷ z if bounds are symmetric, and otherwise depends on the level', () => {
    expect(computeErrorSd(Z, Z, Z)).toBeCloseTo(1, 12);
    expect(computeErrorSd(0, 10, Z)).toBeCloseTo(10 / Z, 12);
    expect(computeErrorSd(0, 10, 1.96)).toBeCloseTo((10 * Math.SQRT2) / 2 / 1.96, 12);
  });
});
