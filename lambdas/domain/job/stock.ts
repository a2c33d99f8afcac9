import type { Manifest } from '#engine/model/pack/manifest.ts';
import { findSupport, tonnesPerHectare } from '#engine/model/pack/property.ts';
import { type JobSummary, rounded } from './job-summary.ts';

interface Mean {
  readonly mean: number;
  /** It is null if the model states no interval. */
  readonly interval: {
    readonly lower: number;
    readonly upper: number;
    readonly standardError: number;
  } | null;
  /** The predicted area. */
  readonly hectares: number;
}

interface Stocks {
  readonly stock: NonNullable<JobSummary['stock']>;
  readonly perHectare: number;
  /** It is null if the model states no interval. */
  readonly standardError: number | null;
}

/** The stock of an area; null if the property cannot have this mean, or its unit gives none. */
export function computeStock(
  manifest: Manifest,
  { mean, interval, hectares }: Mean,
): Stocks | null {
  const { property } = manifest;
  const perHectare = isPossible(manifest, mean) ? tonnesPerHectare(property) : null;
  if (perHectare === null) return null;
  const tonnes = perHectare * hectares;
  return {
    stock: {
      value: rounded(mean * tonnes),
      lower: interval === null ? null : rounded(interval.lower * tonnes),
      upper: interval === null ? null : rounded(interval.upper * tonnes),
      unit: 't',
      substance: property.substance ?? null,
    },
    perHectare: rounded(mean * perHectare),
    standardError: interval === null ? null : rounded(interval.standardError * tonnes),
  };
}

function isPossible(manifest: Manifest, mean: number): boolean {
  const { lower, upper } = findSupport(manifest);
  // Cells at an end of the support may have a mean that is a rounding error beyond it.
  const slack = Math.abs(mean) * 2 ** -20;
  return mean >= lower - slack && mean <= upper + slack;
}
