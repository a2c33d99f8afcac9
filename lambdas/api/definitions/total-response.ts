import * as z from 'zod/mini';
import { stockSchema, summarySchema } from '../../domain/job/job-summary.ts';
import { jobErrorCode, jobWarningCode, temporality } from '../../domain/job/reading/job-schema.ts';
import { batchId, count, jobId, type ViewOf } from '../../domain/wire.ts';
import { named } from '../specification/published.ts';

const { area_ha, predicted_area_ha, mean, lower, upper, unit, level, method } = summarySchema.shape;

/** Job ids listed for each reason. */
export const LEFT_OUT_IDS = 100;

/** Pairs of overlapping jobs listed for each total. */
export const LISTED_OVERLAPS = 10;

const hectares = z.number().check(z.nonnegative());

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
          'Requested years of the jobs. One map may serve several years: where their fields overlap, each year has its own total',
        ),
      ),
    property: z
      .nullable(z.string())
      .check(z.describe('What the model predicts; null if it is no longer deployed')),
    depth_cm: z.nullable(z.array(z.number()).check(z.length(2))),
    jobs: count.check(z.describe('Completed jobs in this total')),
    area_ha: area_ha.check(
      z.describe('Of the jobs’ polygons; where they overlap it counts once for each'),
    ),
    predicted_area_ha,
    unpredicted_area_ha: hectares.check(
      z.describe('The rest, where the model has no value: mean and stock are not of it'),
    ),
    mean: mean.check(z.describe('Of the predicted area of all jobs')),
    lower: lower.check(
      z.describe('Bounds of the mean, as if all jobs were one polygon; null without an interval'),
    ),
    upper,
    standard_error: z
      .nullable(z.number().check(z.nonnegative()))
      .check(z.describe('Of the mean: half the width of the interval, before it is cut at 0, ÷ z')),
    unit,
    level,
    method,
    stock: z
      .nullable(stockSchema)
      .check(z.describe('The sum of the jobs’ stocks; null unless the unit is kg/m3 or t/ha')),
    stock_standard_error: z
      .nullable(z.number().check(z.nonnegative()))
      .check(z.describe('Of the stock, in t; null without an interval or a stock')),
    stock_per_ha: z
      .nullable(z.number())
      .check(z.describe('The stock ÷ the predicted area, in t/ha; null without a stock')),
    interval_missing: z
      .nullable(
        z.strictObject({
          code: z.enum(['no_correlation', 'batch_unfinished', 'too_many_fields']),
          message: z.string(),
        }),
      )
      .check(z.describe('Why there is no interval; null if there is one')),
    job_warnings: z
      .array(z.strictObject({ code: jobWarningCode, jobs: count, area_ha: hectares }))
      .check(z.describe('The jobs with each warning, and the area of their polygons')),
    overlap_ha: z
      .nullable(hectares)
      .check(
        z.describe(
          'Area that two polygons share, with or without values, summed over all pairs; null if there is too much to compare',
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
        z.describe(`The ${LISTED_OVERLAPS} pairs that share most`),
      ),
    warnings: z.array(
      z.strictObject({ code: z.enum(['overlapping_fields']), message: z.string() }),
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
    total_jobs: count.check(z.describe('Of all batches, without the excluded ones')),
    included_jobs: count.check(z.describe('Jobs in one of the totals')),
    excluded_jobs: count.check(
      z.describe('Those that `exclude` names, and those that another of the batches retries'),
    ),
    totals: z
      .array(modelTotal)
      .check(
        z.describe(
          'One for each model and period of data, or year of it; their intervals do not add up',
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
            .check(z.describe('Of their polygons; null if one of them is invalid')),
          job_ids: z
            .array(jobId)
            .check(z.maxLength(LEFT_OUT_IDS), z.describe(`The first ${LEFT_OUT_IDS}`)),
        }),
      )
      .check(z.describe('The other jobs, by reason')),
  }),
);

export type TotalResponse = ViewOf<typeof totalResponse>;
