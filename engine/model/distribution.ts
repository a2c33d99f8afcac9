import type { Manifest } from './pack/manifest.ts';

type Distribution = NonNullable<Manifest['distribution']>;

/**
 * The quantile of the conditional distribution at `probability` (Meinshausen 2006, quantile
 * regression forests). Interpolates the distribution function linearly through (lower, 0),
 * (thresholds[k], probabilities[k]) and (upper, 1).
 *
 * Clamps the probabilities to [0, 1] and makes them non-decreasing: float32 sums over trees have
 * rounding errors. Where the function is flat at `probability`, returns the lowest value.
 *
 * @param probabilities P(Y ≤ thresholds[k]) at `probabilities[offset + k]`
 * @param probability within [0, 1]
 * @returns in the property's unit, within [lower, upper]
 */
export function computeQuantile(
  { thresholds, lower, upper }: Distribution,
  probabilities: ArrayLike<number>,
  offset: number,
  probability: number,
): number {
  let left = lower;
  let below = 0;
  for (let k = 0; k < thresholds.length; k++) {
    const right = thresholds[k] ?? upper;
    // The comparison treats NaN as "no more than before".
    const probabilityBelow = probabilities[offset + k] ?? 0;
    const reached = probabilityBelow > below ? Math.min(probabilityBelow, 1) : below;
    if (reached >= probability) {
      return interpolate(left, right, below, reached, probability);
    }
    left = right;
    below = reached;
  }
  return interpolate(left, upper, below, 1, probability);
}

function interpolate(left: number, right: number, below: number, reached: number, p: number) {
  if (reached <= below) {
    return left;
  }
  const value = left + ((p - below) / (reached - below)) * (right - left);
  return Math.min(right, Math.max(left, value));
}
