import * as z from 'zod/mini';
import type { Overlap } from '#engine/geometry/overlap.ts';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import { jobIdOf } from '../../domain/identity.ts';
import {
  roundArea,
  roundValue,
  SUMMARY_METHOD,
  stockSchema,
  summarySchema,
} from '../../domain/job/job-summary.ts';
import { jobErrorCode, jobWarningCode, temporality } from '../../domain/job/reading/job-schema.ts';
import { computeStock } from '../../domain/job/stock.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  type CompletedJob,
  groupBy,
  isWorthMentioning,
  type JobsTotal,
  type MissingInterval,
  type ModelTotal,
  sumOf,
} from '../../domain/total/model-totals.ts';
import type { BatchesTotal, LeftOutJob } from '../../domain/total/read-total.ts';
import { batchId, count, jobId, type ViewOf } from '../../domain/wire.ts';
import { named } from '../specification/published.ts';

const { area_ha, predicted_area_ha, mean, lower, upper, unit, level, method } = summarySchema.shape;

/** The number of job IDs listed for each reason. */
const LEFT_OUT_IDS = 100;

/** The number of pairs of overlapping jobs listed for each total. */
const LISTED_OVERLAPS = 10;

const hectares = z.number().check(z.nonnegative());

/** The fields that a total and each of its strata have. */
const figures = {
  jobs: count.check(z.describe('Completed jobs in this total')),
  area_ha: area_ha.check(
    z.describe('Area of the jobs’ polygons; overlapping areas count once per polygon'),
  ),
  predicted_area_ha,
  unpredicted_area_ha: hectares.check(
    z.describe('Area where the model has no value; mean and stock do not cover it'),
  ),
  mean: mean.check(z.describe('Mean over the predicted area of all jobs')),
  lower: lower.check(
    z.describe('Bounds of the mean, as if all jobs were one polygon; null without an interval'),
  ),
  upper,
  standard_error: z
    .nullable(z.number().check(z.nonnegative()))
    .check(z.describe('Standard error of the mean; null without an interval')),
  unit,
  level,
  method,
  stock: z
    .nullable(stockSchema)
    .check(z.describe('The sum of the jobs’ stocks; null unless the unit is kg/m3 or t/ha')),
  stock_standard_error: z
    .nullable(z.number().check(z.nonnegative()))
    .check(z.describe('Standard error of the stock, in t; null without an interval or a stock')),
  stock_per_ha: z
    .nullable(z.number())
    .check(z.describe('The stock divided by the predicted area, in t/ha; null without a stock')),
  interval_missing: z
    .nullable(
      z.strictObject({
        code: z.enum(['no_correlation', 'batch_unfinished', 'too_many_fields']),
        message: z.string(),
      }),
    )
    .check(z.describe('Why there is no interval; null if there is one')),
};

const stratumTotal = named(
  'Stratum',
  z.strictObject({
    value: z
      .nullable(z.string())
      .check(
        z.describe(
          'Value of the property `by`; values other than text are written as JSON, and null means no value',
        ),
      ),
    ...figures,
  }),
);

const modelTotal = named(
  'Total',
  z.strictObject({
    model: z.string().check(z.describe('`id@version`')),
    temporal: temporality,
    data_period: z
      .array(z.int())
      .check(z.length(2), z.describe('First and last year of the data behind the maps')),
    years: z
      .array(z.int())
      .check(
        z.describe(
          'Years that the jobs request. One map may serve several years; if fields of different years overlap, each year has a separate total',
        ),
      ),
    property: z
      .nullable(z.string())
      .check(z.describe('What the model predicts; null if the model is no longer deployed')),
    depth_cm: z.nullable(z.array(z.number()).check(z.length(2))),
    ...figures,
    job_warnings: z
      .array(z.strictObject({ code: jobWarningCode, jobs: count, area_ha: hectares }))
      .check(
        z.describe(
          'For each warning, the number of jobs that have it and the area of their polygons',
        ),
      ),
    overlap_ha: z
      .nullable(hectares)
      .check(
        z.describe(
          'Area that two polygons share, with or without values, summed over all pairs; null if there are too many pairs to compare',
        ),
      ),
    overlaps: z
      .array(
        z.strictObject({
          job_ids: z.array(jobId).check(z.length(2)),
          overlap_ha: hectares,
        }),
      )
      .check(
        z.maxLength(LISTED_OVERLAPS),
        z.describe(`The ${LISTED_OVERLAPS} pairs that overlap most`),
      ),
    warnings: z.array(
      z.strictObject({ code: z.enum(['overlapping_fields']), message: z.string() }),
    ),
    strata: z
      .array(stratumTotal)
      .check(
        z.maxLength(LIMITS.strataPerTotal),
        z.describe('Totals of the jobs with each value of the property `by`; empty without `by`'),
      ),
  }),
);

/** The response of `GET /v1/batch/{batch_id}/total`. */
export const totalResponse = named(
  'BatchTotal',
  z.strictObject({
    batch_ids: z.array(batchId),
    finished: z
      .boolean()
      .check(z.describe('Whether all batches are finished, so that no number will change')),
    total_jobs: count.check(z.describe('Jobs of all batches, without the excluded ones')),
    included_jobs: count.check(z.describe('Jobs that are part of a total')),
    excluded_jobs: count.check(
      z.describe('Jobs that `exclude` names, and jobs that another of the batches retries'),
    ),
    totals: z
      .array(modelTotal)
      .check(
        z.describe(
          'One total for each model and data period or, if fields of different years overlap, for each year; their intervals do not add up',
        ),
      ),
    left_out: z
      .array(
        z.strictObject({
          reason: z.enum(['failed', 'unfinished', 'no_mean']),
          error_code: z.nullable(jobErrorCode),
          jobs: count,
          area_ha: z
            .nullable(hectares)
            .check(z.describe('Area of their polygons; null if one of them is invalid')),
          job_ids: z
            .array(jobId)
            .check(z.maxLength(LEFT_OUT_IDS), z.describe(`The first ${LEFT_OUT_IDS} job IDs`)),
        }),
      )
      .check(z.describe('Jobs that are part of no total, by reason')),
  }),
);

export type TotalResponse = ViewOf<typeof totalResponse>;

type TotalView = TotalResponse['totals'][number];
type StratumView = TotalView['strata'][number];

export function totalView(read: BatchesTotal, catalogue: PackCatalogue): TotalResponse {
  const { batches, finished, totals, leftOut, excludedJobs } = read;
  const included = totals.reduce((sum, { jobs }) => sum + jobs.length, 0);
  return {
    batch_ids: batches.map(({ batch_id: batchId }) => batchId),
    finished,
    total_jobs: included + leftOut.length,
    included_jobs: included,
    excluded_jobs: excludedJobs,
    totals: totals.map((total) =>
      modelTotalView(total, catalogue.findMap(total.model.id, undefined)?.manifest ?? null),
    ),
    left_out: leftOutView(leftOut),
  };
}

function modelTotalView(total: ModelTotal, manifest: Manifest | null): TotalView {
  const { model, jobs, overlaps, strata } = total;
  return {
    model: model.id,
    temporal: model.temporal,
    data_period: [...model.data_period],
    years: [...new Set(jobs.map(({ year }) => year))].sort((a, b) => a - b),
    property: manifest?.property.name ?? null,
    depth_cm: manifest?.property.depth_cm ?? null,
    ...figuresView(total, model.id, manifest),
    job_warnings: jobWarningsView(jobs),
    overlap_ha: overlaps === null ? null : roundArea(sumOf(overlaps)),
    overlaps: selectLargest(overlaps ?? []).map(({ pair, hectares }) => ({
      job_ids: pair.flatMap((index) => jobs[index]?.jobId ?? []),
      overlap_ha: roundArea(hectares),
    })),
    warnings: overlapWarnings(overlaps ?? [], jobs),
    strata: strata.map((stratum) => ({
      value: stratum.value,
      ...figuresView(stratum, model.id, manifest),
    })),
  };
}

function figuresView(
  { jobs, total, missing }: JobsTotal,
  model: string,
  manifest: Manifest | null,
): Omit<StratumView, 'value'> {
  const { mean, interval } = total;
  const stocks =
    manifest === null
      ? null
      : computeStock(manifest, { mean, interval, hectares: total.predictedHectares });
  const orNull = (value: number | undefined): number | null =>
    value === undefined ? null : roundValue(value);
  return {
    jobs: jobs.length,
    area_ha: roundArea(total.hectares),
    predicted_area_ha: roundArea(total.predictedHectares),
    unpredicted_area_ha: roundArea(total.hectares - total.predictedHectares),
    mean: roundValue(mean),
    lower: orNull(interval?.lower),
    upper: orNull(interval?.upper),
    standard_error: orNull(interval?.standardError),
    unit: jobs[0]?.summary.unit ?? '',
    level: interval?.level ?? null,
    method: interval === null ? null : SUMMARY_METHOD,
    stock: stocks?.stock ?? null,
    stock_standard_error: stocks?.standardError ?? null,
    stock_per_ha: stocks?.perHectare ?? null,
    interval_missing: missing === null ? null : missingView(missing, model),
  };
}

function jobWarningsView(jobs: readonly CompletedJob[]): TotalView['job_warnings'] {
  const warned = jobs.flatMap(({ warnings, summary }) =>
    warnings.map((code) => ({ code, area: summary.area_ha })),
  );
  return groupBy(warned, ({ code }) => code).flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const area = same.reduce((sum, job) => sum + job.area, 0);
    return { code: first.code, jobs: same.length, area_ha: roundArea(area) };
  });
}

function selectLargest(overlaps: readonly Overlap[]): readonly Overlap[] {
  return [...overlaps].sort((a, b) => b.hectares - a.hectares).slice(0, LISTED_OVERLAPS);
}

/** The number of pairs that a message names. */
const NAMED_PAIRS = 3;

function overlapWarnings(
  overlaps: readonly Overlap[],
  jobs: readonly CompletedJob[],
): TotalView['warnings'] {
  if (!isWorthMentioning(overlaps, jobs)) return [];
  const nameOf = (index: number): string => jobs[index]?.name ?? jobs[index]?.jobId ?? '';
  const pairs = selectLargest(overlaps)
    .slice(0, NAMED_PAIRS)
    .map(
      ({ pair, hectares }) => `${pair.map(nameOf).join(' and ')} by ${formatHectares(hectares)}`,
    );
  const others = overlaps.length - pairs.length;
  const more =
    others === 0 ? '' : `; ${others} more pairs, ${formatHectares(sumOf(overlaps))} in total`;
  const message = `Fields overlap: ${pairs.join('; ')}${more}. Area and stock count the shared ground once for each field.`;
  return [{ code: 'overlapping_fields', message }];
}

/** Rounds to three significant digits. */
function formatHectares(hectares: number): string {
  return hectares < 0.001 ? 'less than 0.001 ha' : `${Number(hectares.toPrecision(3))} ha`;
}

function missingView(
  missing: MissingInterval,
  model: string,
): NonNullable<TotalView['interval_missing']> {
  switch (missing.kind) {
    case 'no-correlation':
      return {
        code: 'no_correlation',
        message: `${model} does not declare how its errors correlate.`,
      };
    case 'unfinished':
      return {
        code: 'batch_unfinished',
        message:
          'A batch is still running. The interval needs the jobs’ prediction errors, which are joined when the batch finishes.',
      };
    case 'too-many':
      return {
        code: 'too_many_fields',
        message:
          'The errors of so many jobs take too long to add up. Request fewer batches, or exclude jobs, such as overlapping ones.',
      };
  }
}

const REASONS = { failed: 'failed', unfinished: 'unfinished', 'no-mean': 'no_mean' } as const;

function leftOutView(leftOut: readonly LeftOutJob[]): TotalResponse['left_out'] {
  return groupBy(leftOut, ({ reason, code }) => `${reason} ${code}`).flatMap((jobs) => {
    const [first] = jobs;
    if (first === undefined) return [];
    return {
      reason: REASONS[first.reason],
      error_code: first.code,
      jobs: jobs.length,
      area_ha: sumAreas(jobs),
      job_ids: jobs.slice(0, LEFT_OUT_IDS).map(({ batchId, index }) => jobIdOf(batchId, index)),
    };
  });
}

function sumAreas(jobs: readonly LeftOutJob[]): number | null {
  const areas = jobs.flatMap(({ hectares }) => hectares ?? []);
  if (areas.length < jobs.length) return null;
  return roundArea(areas.reduce((sum, hectares) => sum + hectares, 0));
}
