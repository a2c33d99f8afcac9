import type { Manifest } from '#engine/model/pack/manifest.ts';
import { computeTonnesPerHectare, findSupport } from '#engine/model/pack/property.ts';
import { type JobSummary, roundValue } from './job-summary.ts';

interface Mean {
  readonly mean: number;
  /** Null if the mean has no interval. */
  readonly interval: {
    readonly lower: number;
    readonly upper: number;
    readonly standardError: number;
  } | null;
  readonly hectares: number;
}

interface Stocks {
  readonly stock: NonNullable<JobSummary['stock']>;
  readonly perHectare: number;
  /** Null if the mean has no interval. */
  readonly standardError: number | null;
}

/** Returns null if the mean is impossible for the property, or if a stock cannot be computed from the unit. */
export function computeStock(
  manifest: Manifest,
  { mean, interval, hectares }: Mean,
): Stocks | null {
  const { property } = manifest;
  const perHectare = isPossible(manifest, mean) ? computeTonnesPerHectare(property) : null;
  if (perHectare === null) return null;
  const tonnes = perHectare * hectares;
  return {
    stock: {
      value: roundValue(mean * tonnes),
      lower: interval === null ? null : roundValue(interval.lower * tonnes),
      upper: interval === null ? null : roundValue(interval.upper * tonnes),
      unit: 't',
      substance: property.substance ?? null,
    },
    perHectare: roundValue(mean * perHectare),
    standardError: interval === null ? null : roundValue(interval.standardError * tonnes),
  };
}

function isPossible(manifest: Manifest, mean: number): boolean {
  const { lower, upper } = findSupport(manifest);
  // The mean of cells at an end of the support may lie beyond it by a rounding error.
  const slack = Math.abs(mean) * 2 ** -20;
  return mean >= lower - slack && mean <= upper + slack;
}
