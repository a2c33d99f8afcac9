import { describe, expect, it } from 'vitest';
import { shareOf } from '../../../../bin/packs/validation/share.ts';

describe('the exact interval of a share', () => {
  // Newcombe 1998, Statistics in Medicine 17:857–872, table I, method 5.
  it.each([
    [81, 263, 0.2527, 0.3676],
    [15, 148, 0.0578, 0.1617],
    [0, 20, 0, 0.1684],
    [1, 29, 0.0009, 0.1776],
  ])('of %i in %i is the one of Clopper & Pearson', (hits, n, lower, upper) => {
    const share = shareOf(hits, n);
    expect(share.lower).toBeCloseTo(lower, 4);
    expect(share.upper).toBeCloseTo(upper, 4);
  });

  it('is found for many samples', () => {
    const { lower, upper } = shareOf(90_000, 100_000);
    expect(lower).toBeCloseTo(0.9 - 0.00187, 4);
    expect(upper).toBeCloseTo(0.9 + 0.00185, 4);
  });
});
