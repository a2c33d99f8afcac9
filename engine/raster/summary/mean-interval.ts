import type { ErrorWidths } from './block-sums.ts';

/**
 * Just under the 1.96 of the 95 % level. Below this quantile z, the squared difference of the half-widths has the
 * weight 3, because the far tail of a skewed error contributes more variance than the bounds show.
 */
const Z_OF_95 = 1.95;

/**
 * The standard deviation of an error, which may be skewed, from its half-widths below and above the mean
 * (`docs/intervals.md`; `models/tools/soil_packs/group_means.py` uses the same formula).
 */
export function computeErrorSd(lower: number, upper: number, z: number): number {
  const [whole, skew] = [lower + upper, upper - lower];
  const weight = z < Z_OF_95 ? 3 : 1;
  return Math.sqrt(whole * whole + weight * skew * skew) / (2 * z);
}

export interface MeanErrors {
  readonly mean: number;
  readonly standardError: number;
  readonly widths: ErrorWidths;
  readonly squareMetres: number;
  readonly z: number;
  readonly support: { readonly lower: number; readonly upper: number };
}

/**
 * Computes the interval of an area's mean: for a single cell it is the cell's interval, for many cells it approaches
 * a symmetric interval (`docs/intervals.md`). The interval is clipped to the support, except on a side where the mean
 * lies outside: a clipped interval would not contain the mean.
 */
export function computeMeanInterval({
  mean,
  standardError,
  widths,
  squareMetres,
  z,
  support,
}: MeanErrors): { readonly lower: number; readonly upper: number } {
  const [lower, upper] = [widths.lower / squareMetres, widths.upper / squareMetres];
  const ratio = widths.sd === 0 ? 0 : (standardError * squareMetres) / widths.sd;
  const k2 = Math.min(ratio * ratio, 1);
  const half = z * standardError * (1 - k2) + (ratio * k2 * (upper + lower)) / 2;
  const middle = mean + (k2 * (upper - lower)) / 2;
  const [from, to] = [middle - half, middle + half];
  return {
    lower: mean < support.lower ? from : Math.max(from, support.lower),
    upper: mean > support.upper ? to : Math.min(to, support.upper),
  };
}
