import * as z from 'zod/mini';
import { stockSchema, summarySchema } from '../../domain/job/job-summary.ts';
import { jobErrorCode, jobWarningCode, temporality } from '../../domain/job/reading/job-schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import { batchId, count, jobId, type ViewOf } from '../../domain/wire.ts';
import { named } from '../specification/published.ts';

const { area_ha, predicted_area_ha, mean, lower, upper, unit, level, method } = summarySchema.shape;

/** The most job IDs that are listed for one reason and error code. */
export const LEFT_OUT_IDS = 100;

/** The most pairs of overlapping jobs that are listed for one total. */
export const LISTED_OVERLAPS = 10;

const hectares = z.number().check(z.nonnegative());

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
    z.describe(
      'With `upper`, the bounds of the mean, as if all jobs were one polygon; null without an interval',
    ),
  ),
  upper,
  standard_error: z
    .nullable(z.number().check(z.nonnegative()))
    .check(z.describe('Standard error of the mean; null without an interval')),
  unit,
  level,
  method,
  stock: z.nullable(stockSchema).check(z.describe('Stock of all jobs together')),
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
          'Value of the property that `by` names; values other than text are written as JSON, and null means no value',
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
          'Years that the jobs request. One map may serve several years; if fields of different years overlap, or there are too many to compare, each year has a separate total',
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
        z.describe(`The pairs that overlap most, at most ${LISTED_OVERLAPS}`),
      ),
    warnings: z.array(
      z.strictObject({ code: z.enum(['overlapping_fields']), message: z.string() }),
    ),
    strata: z
      .array(stratumTotal)
      .check(
        z.maxLength(LIMITS.strataPerTotal),
        z.describe('One total for each value of the property that `by` names; empty without `by`'),
      ),
  }),
);

export const totalResponse = named(
  'BatchTotal',
  z.strictObject({
    batch_ids: z.array(batchId),
    finished: z.boolean().check(z.describe('Whether all batches are finished')),
    total_jobs: count.check(z.describe('Jobs of all batches, without the excluded ones')),
    included_jobs: count.check(z.describe('Jobs that are part of a total')),
    excluded_jobs: count.check(
      z.describe('Jobs that `exclude` names, and jobs that another of the batches retries'),
    ),
    totals: z
      .array(modelTotal)
      .check(
        z.describe(
          'One total for each model and data period, divided by year if fields of different years overlap (see `years`); the intervals of the totals do not add up',
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
            .check(z.describe('Area of the jobs’ polygons; null if a polygon is invalid')),
          job_ids: z
            .array(jobId)
            .check(z.maxLength(LEFT_OUT_IDS), z.describe(`Their job IDs, at most ${LEFT_OUT_IDS}`)),
        }),
      )
      .check(z.describe('Jobs that are part of no total, by reason and error code')),
  }),
);

export type TotalResponse = ViewOf<typeof totalResponse>;
