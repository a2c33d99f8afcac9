import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeQuantile } from '../../../engine/model/distribution.ts';

const distribution = { first_target: 1, thresholds: [10, 20, 30], lower: 0, upper: 50 };

describe('a quantile of the conditional distribution', () => {
  it.each([
    [0.1, 5],
    [0.2, 10],
    [0.35, 15],
    [0.5, 20],
    [0.75, 30],
    [0.875, 40],
  ])('at %d is interpolated between the adjacent thresholds: %d', (p, value) => {
    expect(computeQuantile(distribution, [0.2, 0.5, 0.75], 0, p)).toBeCloseTo(value, 10);
  });

  it('is the lower end of a flat step', () => {
    expect(computeQuantile(distribution, [0.4, 0.4, 0.9], 0, 0.4)).toBe(10);
    expect(computeQuantile(distribution, [0, 0, 0.9], 0, 0)).toBe(0);
  });

  it('is computed as if decreasing probabilities were constant', () => {
    expect(computeQuantile(distribution, [0.5, 0.3, 0.9], 0, 0.7)).toBeCloseTo(25, 10);
  });

  it('is computed as if probabilities above 1 were 1, and NaN no increase', () => {
    expect(computeQuantile(distribution, [1.0000001, 2, 3], 0, 0.5)).toBeCloseTo(5, 10);
    expect(computeQuantile(distribution, [Number.NaN, 0.5, 1], 0, 0.25)).toBeCloseTo(15, 10);
  });

  it('is computed from the probabilities at the offset', () => {
    const targets = [42, 0.2, 0.5, 0.75, 7];
    expect(computeQuantile(distribution, targets, 1, 0.5)).toBeCloseTo(20, 10);
  });
});

const support = fc
  .uniqueArray(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 4, maxLength: 30 })
  .map((values) => values.sort((a, b) => a - b))
  .map((values) => ({
    first_target: 0,
    lower: values[0] ?? 0,
    thresholds: values.slice(1, -1),
    upper: values.at(-1) ?? 0,
  }));
const anyShares = fc.array(fc.float({ noNaN: false }), { minLength: 30, maxLength: 30 });
const probability = fc.double({ min: 0, max: 1, noNaN: true });

describe('with arbitrary probabilities', () => {
  it('a quantile is within the support', () => {
    fc.assert(
      fc.property(support, anyShares, probability, (of, shares, p) => {
        const value = computeQuantile(of, shares, 0, p);
        expect(value).toBeGreaterThanOrEqual(of.lower);
        expect(value).toBeLessThanOrEqual(of.upper);
      }),
    );
  });

  it('a quantile never decreases as its probability grows', () => {
    fc.assert(
      fc.property(support, anyShares, probability, probability, (of, shares, a, b) => {
        const low = computeQuantile(of, shares, 0, Math.min(a, b));
        expect(low).toBeLessThanOrEqual(computeQuantile(of, shares, 0, Math.max(a, b)));
      }),
    );
  });
});
