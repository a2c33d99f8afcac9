import * as z from 'zod/mini';
import type { JobRecord } from '../job/job.ts';
import { type JobSummary, roundValue } from '../job/job-summary.ts';
import type { ViewOf } from '../wire.ts';

/** The values of the lowest and highest colours in the maps of all results that one model gave for a batch. */
export const displayRange = z
  .object({ model: z.string(), minimum: z.number(), maximum: z.number() })
  .check(
    z.refine(({ minimum, maximum }) => minimum < maximum, 'the minimum is not below the maximum'),
  );

export type BatchDisplayRange = ViewOf<typeof displayRange>;

/** Computes the range of each model whose values differ enough to have different colours. */
export function computeDisplayRanges(jobs: readonly JobRecord[]): readonly BatchDisplayRange[] {
  const byModel = new Map<string, JobSummary[]>();
  for (const job of jobs) {
    if (job.status !== 'completed' || job.summary === undefined) continue;
    const summaries = byModel.get(job.model.id);
    if (summaries === undefined) byModel.set(job.model.id, [job.summary]);
    else summaries.push(job.summary);
  }
  return [...byModel].flatMap(([model, summaries]) => {
    const range = poolRange(summaries);
    return range === null ? [] : [{ model, ...range }];
  });
}

/** A range that is narrower than this share of its larger end counts as one value with rounding errors. */
const NARROWEST = 1e-6;
/** A minimum weight, so that a polygon that the model barely covers counts too. */
const LEAST_HECTARES = 1e-9;

/**
 * Computes the mean of all cells ± 2 standard deviations, limited to the lowest and highest value. `pool_ranges` in the
 * Python package uses the same formula.
 * @returns null if all cells have nearly the same value
 */
function poolRange(summaries: readonly JobSummary[]) {
  const weighted = summaries.map(({ predicted_area_ha, mean, cell_sd }) => {
    return { weight: Math.max(predicted_area_ha, LEAST_HECTARES), mean, sd: cell_sd };
  });
  const average = (value: (job: (typeof weighted)[number]) => number): number =>
    weighted.reduce((sum, job) => sum + job.weight * value(job), 0) /
    weighted.reduce((sum, { weight }) => sum + weight, 0);
  const mean = average((job) => job.mean);
  const reach = 2 * Math.sqrt(average((job) => job.sd ** 2 + (job.mean - mean) ** 2));
  const lowest = summaries.reduce((low, { cell_min }) => Math.min(low, cell_min), Infinity);
  const highest = summaries.reduce((high, { cell_max }) => Math.max(high, cell_max), -Infinity);
  const minimum = roundValue(Math.max(lowest, mean - reach));
  const maximum = roundValue(Math.min(highest, mean + reach));
  const size = Math.max(Math.abs(minimum), Math.abs(maximum));
  return maximum - minimum > NARROWEST * size ? { minimum, maximum } : null;
}
