import type { Manifest } from '#engine/model/pack/manifest.ts';
import { type DeclaredErrors, summarisedBands } from '#engine/model/pack/summarised-bands.ts';
import { groundDistance, groundMetrics } from '#engine/raster/grid/ground.ts';
import { meanOf } from './accuracy.ts';
import type { PredictedSample } from './held-out.ts';
import { byGroup } from './resampling.ts';
import { type Share, shareOf } from './share.ts';

/** How often the interval of a group's mean contains the mean of its measurements. */
export interface MeansCoverage {
  readonly claimed: number;
  readonly inside: Share;
}

/** A measurement with the prediction in its place. */
export interface BoundedSample {
  readonly observed: number;
  readonly mean: number;
  readonly lower: number;
  readonly upper: number;
}

/** What an interval of an area's mean is made of. */
export type ErrorModel = Pick<DeclaredErrors, 'z' | 'systematicRelativeSd' | 'correlation'>;

/** Groups with fewer samples are single values. */
export const LEAST_OF_GROUP = 2;

/**
 * Coverage of the means of sample points by the manifest's `error` block: the interval of an area's
 * mean (`docs/rasters.md`), with the samples in place of cells. Null without a declared correlation or
 * groups.
 */
export function meansCoverage(
  manifest: Manifest,
  samples: readonly PredictedSample[],
  level = 0.95,
): MeansCoverage | null {
  const summarised = summarisedBands(manifest);
  const groups = [...byGroup(samples.filter(({ group }) => group !== null)).values()].filter(
    ({ length }) => length >= LEAST_OF_GROUP,
  );
  if (summarised === null || summarised.errors === null || groups.length === 0) return null;
  const { mean, errors } = summarised;
  const bounded = ({ observed, bands }: PredictedSample): BoundedSample => {
    const [at, lower, upper] = [mean, errors.lower, errors.upper].map(
      ({ index }) => bands[index] ?? Number.NaN,
    );
    return { observed, mean: at ?? 0, lower: lower ?? 0, upper: upper ?? 0 };
  };
  const metricAt = groundMetrics(manifest.grid);
  const inside = groups.filter((group) => {
    const cells = group.map(({ cell }) => cell);
    const [first] = cells;
    if (first === undefined) return false;
    const metric = metricAt(first.col, first.row);
    return containsMean(group.map(bounded), errors, (i, j) => {
      const [from = first, to = first] = [cells[i], cells[j]];
      return groundDistance(metric, to.col - from.col, to.row - from.row);
    });
  });
  return { claimed: errors.level, inside: shareOf(inside.length, groups.length, level) };
}

/**
 * Whether the interval of the samples' mean contains the mean of their measurements.
 * @param metres between two samples, by their indexes
 */
export function containsMean(
  samples: readonly BoundedSample[],
  errors: ErrorModel,
  metres: (i: number, j: number) => number,
): boolean {
  const predicted = meanOf(samples.map(({ mean }) => mean));
  const error = meanOf(samples.map(({ observed }) => observed)) - predicted;
  const widths = samples.map((sample) => ownHalfWidth(sample, errors, error < 0));
  const shared = errors.z * errors.systematicRelativeSd * predicted;
  return Math.abs(error) <= Math.hypot(doubleSum(widths, errors, metres), shared);
}

/** Of the prediction of one place, below or above its mean, without the error that all cells share. */
export function ownHalfWidth(
  { mean, lower, upper }: Pick<BoundedSample, 'mean' | 'lower' | 'upper'>,
  { z, systematicRelativeSd }: Pick<ErrorModel, 'z' | 'systematicRelativeSd'>,
  isBelow: boolean,
): number {
  const width = Math.max(isBelow ? mean - lower : upper - mean, 0);
  return Math.sqrt(Math.max(width ** 2 - (z * systematicRelativeSd * mean) ** 2, 0));
}

/** √(ΣΣ ρ(h) w w′) ÷ n over all pairs of the samples. */
function doubleSum(
  widths: readonly number[],
  { correlation: { nugget, rangeMetres } }: ErrorModel,
  metres: (i: number, j: number) => number,
): number {
  let sum = 0;
  for (const [i, width] of widths.entries()) {
    for (const [j, other] of widths.entries()) {
      const correlation = i === j ? 1 : (1 - nugget) * Math.exp(-metres(i, j) / rangeMetres);
      sum += correlation * width * other;
    }
  }
  return Math.sqrt(sum) / widths.length;
}
