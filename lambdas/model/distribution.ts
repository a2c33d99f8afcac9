import type { Manifest } from './pack/manifest.ts';

type Distribution = NonNullable<Manifest['distribution']>;

/**
 * The value below which the share `probability` of the conditional distribution lies (Meinshausen
 * 2006, quantile regression forests), by linear interpolation of the distribution function through
 * (lower, 0), (thresholds[k], shares[k]) and (upper, 1).
 *
 * Shares are taken within [0, 1] and never falling: float32 sums over trees may stray by a digit.
 * A step without slope gives its left end.
 *
 * @param shares P(Y ≤ thresholds[k]) at `shares[offset + k]`
 * @param probability within [0, 1]
 * @returns in the property's unit, within [lower, upper]
 */
export function quantile(
  { thresholds, lower, upper }: Distribution,
  shares: ArrayLike<number>,
  offset: number,
  probability: number,
): number {
  let left = lower;
  let below = 0;
  for (let k = 0; k < thresholds.length; k++) {
    const right = thresholds[k] ?? upper;
    // Written so that a NaN share counts as "no more than before".
    const share = shares[offset + k] ?? 0;
    const reached = share > below ? Math.min(share, 1) : below;
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
