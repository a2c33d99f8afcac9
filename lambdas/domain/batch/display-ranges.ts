import * as z from 'zod/mini';
import type { JobRecord } from '../job/job.ts';
import { type JobSummary, rounded } from '../job/job-summary.ts';
import type { ViewOf } from '../wire.ts';

/** The values of the lowest and the highest colour for all of a batch's results of one model. */
export const displayRange = z
  .object({ model: z.string(), minimum: z.number(), maximum: z.number() })
  .check(
    z.refine(({ minimum, maximum }) => minimum < maximum, 'the minimum is not below the maximum'),
  );

export type BatchDisplayRange = ViewOf<typeof displayRange>;

/** The range of each model that has values of which colours can differ. */
export function computeDisplayRanges(jobs: readonly JobRecord[]): readonly BatchDisplayRange[] {
  const byModel = new Map<string, JobSummary[]>();
  for (const job of jobs) {
    if (job.status !== 'completed' || job.summary === undefined) continue;
    const summaries = byModel.get(job.model.id);
    if (summaries === undefined) byModel.set(job.model.id, [job.summary]);
    else summaries.push(job.summary);
  }
  return [...byModel].flatMap(([model, summaries]) => {
    const range = pool(summaries);
    return range === null ? [] : [{ model, ...range }];
  });
}

/** Share of the larger end below which a range is one value, written with other digits. */
const NARROWEST = 1e-6;
/** So that a polygon that the model barely covers counts, too. */
const LEAST_HECTARES = 1e-9;

/**
 * The mean of all cells ± 2 standard deviations, cut at the lowest and highest: about 2 % of the values lie
 * beyond either end, and no raster is read. `pooled_range` of the Python package is the same formula.
 * @returns null for cells of one value
 */
function pool(summaries: readonly JobSummary[]) {
  const weighted = summaries.map(({ predicted_area_ha, mean, cell_sd }) => {
    return { weight: Math.max(predicted_area_ha, LEAST_HECTARES), mean, sd: cell_sd };
  });
  const average = (value: (one: (typeof weighted)[number]) => number): number =>
    weighted.reduce((sum, one) => sum + one.weight * value(one), 0) /
    weighted.reduce((sum, { weight }) => sum + weight, 0);
  const mean = average((one) => one.mean);
  const reach = 2 * Math.sqrt(average((one) => one.sd ** 2 + (one.mean - mean) ** 2));
  const least = summaries.reduce((low, { cell_min }) => Math.min(low, cell_min), Infinity);
  const greatest = summaries.reduce((high, { cell_max }) => Math.max(high, cell_max), -Infinity);
  const minimum = rounded(Math.max(least, mean - reach));
  const maximum = rounded(Math.min(greatest, mean + reach));
  const size = Math.max(Math.abs(minimum), Math.abs(maximum));
  return maximum - minimum > NARROWEST * size ? { minimum, maximum } : null;
}
