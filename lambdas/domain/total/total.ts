import { SQUARE_METRES_PER_HECTARE } from '#engine/geometry/ellipsoid.ts';
import type { Overlap } from '#engine/geometry/overlap.ts';
import { computeMeanInterval } from '#engine/raster/summary/mean-interval.ts';
import { type PairBudget, sumBetweenJobs } from '#engine/raster/summary/sum-between-jobs.ts';
import type { JobSummary } from '../job/job-summary.ts';
import type { PredictionErrors } from './prediction-errors.ts';

export interface SummedJob {
  readonly summary: JobSummary;
  /** Null if the mean has no interval, and until the batch is finished. */
  readonly errors: PredictionErrors | null;
}

export interface Total {
  readonly hectares: number;
  readonly predictedHectares: number;
  readonly mean: number;
  /** Null unless it is requested, every job has prediction errors, and the computation takes few enough steps. */
  readonly interval: Interval | null;
}

export interface Interval {
  readonly lower: number;
  readonly upper: number;
  readonly standardError: number;
  readonly level: number;
}

/**
 * Computes the mean of several jobs of one model as if they were one; null if no job has a predicted area.
 * @param budget limits the computation of the interval, and is reduced by it; null for no interval
 */
export function computeTotal(
  jobs: readonly SummedJob[],
  overlaps: readonly Overlap[],
  budget: PairBudget | null,
): Total | null {
  const sumOf = (value: (summary: JobSummary) => number): number =>
    jobs.reduce((sum, { summary }) => sum + value(summary), 0);
  const predictedHectares = sumOf((summary) => summary.predicted_area_ha);
  if (predictedHectares <= 0) return null;
  const mean = sumOf((summary) => summary.predicted_area_ha * summary.mean) / predictedHectares;
  return {
    hectares: sumOf((summary) => summary.area_ha),
    predictedHectares,
    mean,
    interval:
      budget === null
        ? null
        : computeTotalInterval(
            jobs,
            overlaps,
            mean,
            predictedHectares * SQUARE_METRES_PER_HECTARE,
            budget,
          ),
  };
}

/** The formula is derived in `docs/intervals.md`. */
function computeTotalInterval(
  jobs: readonly SummedJob[],
  overlaps: readonly Overlap[],
  mean: number,
  squareMetres: number,
  budget: PairBudget,
): Interval | null {
  const weighted = jobs.flatMap(({ summary, errors }) => {
    if (errors === null) return [];
    const predicted = summary.predicted_area_ha * SQUARE_METRES_PER_HECTARE;
    // The job's area includes its part of every cell that the outline cuts, whether the cell belongs to the job or not.
    return [{ errors, weight: predicted / errors.square_metres, hectares: summary.area_ha }];
  });
  const [first] = weighted;
  if (first === undefined || weighted.length < jobs.length) return null;
  const { nugget, range_m, systematic_relative_sd, z, level, support } = first.errors;
  const nodes = weighted.flatMap(({ errors, weight }) =>
    errors.nodes === null ? [] : [{ nodes: errors.nodes, weight }],
  );
  const between = sumBetweenJobs(nodes, range_m, budget);
  if (between === null) return null;
  let variance = 2 * (1 - nugget) * between;
  const widths = { sd: 0, lower: 0, upper: 0 };
  for (const { errors, weight } of weighted) {
    variance += weight * weight * (nugget * errors.squares + (1 - nugget) * errors.pairs);
    widths.sd += weight * errors.widths.sd;
    widths.lower += weight * errors.widths.lower;
    widths.upper += weight * errors.widths.upper;
  }
  for (const overlap of overlaps) variance += 2 * nugget * sharedSquares(weighted, overlap);
  const standardError = Math.hypot(
    Math.sqrt(variance) / squareMetres,
    systematic_relative_sd * mean,
  );
  const bounds = computeMeanInterval({
    ...{ mean, standardError, widths, squareMetres, z },
    support: { lower: support.lower ?? -Infinity, upper: support.upper ?? Infinity },
  });
  return { ...bounds, standardError, level };
}

interface WeightedErrors {
  readonly errors: PredictionErrors;
  readonly weight: number;
  readonly hectares: number;
}

/**
 * Estimates the sum of the weighted squares of errors over the cells that two jobs share, in proportion to the shared
 * part of the smaller job. In a shared cell, both jobs have the same error.
 */
function sharedSquares(jobs: readonly WeightedErrors[], { pair, hectares }: Overlap): number {
  const [a, b] = [jobs[pair[0]], jobs[pair[1]]];
  if (a === undefined || b === undefined) return 0;
  const { errors, hectares: smaller } = a.hectares < b.hectares ? a : b;
  return a.weight * b.weight * Math.min(hectares / smaller, 1) * errors.squares;
}
