import * as z from 'zod/mini';
import { joinCsvCells } from '#engine/display/csv-row.ts';
import { toGeoJsonGeometry } from '#engine/geometry/geojson.ts';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { ResultRow } from '../domain/batch/read-results.ts';
import type { Timestamp } from '../domain/clock.ts';
import {
  outsideApplicabilityShare,
  outsideShare,
  roundValue,
  stockSchema,
  summarySchema,
} from '../domain/job/job-summary.ts';
import { jobFields } from '../domain/job/reading/job-schema.ts';
import { describeModel, modelDescription } from '../domain/job/reading/model-description.ts';
import { time, type ViewOf } from '../domain/wire.ts';

const { area_ha, predicted_area_ha, mean, lower, upper, unit, level, method } = summarySchema.shape;

/** The columns of the table, in order. Every value is a scalar, so that no reader has to unpack it. */
export const resultRow = z.strictObject({
  job_index: jobFields.job_index,
  job_id: jobFields.job_id,
  name: jobFields.name,
  year: jobFields.year,
  status: jobFields.status,
  error_code: jobFields.error_code,
  error_message: jobFields.error_message,
  error_retryable: jobFields.error_retryable,
  warning_codes: z
    .nullable(z.string())
    .check(z.describe('Codes separated by spaces; null without warnings')),
  warning_messages: z.nullable(z.string()).check(z.describe('Messages separated by spaces')),
  model: jobFields.model,
  model_sha256: orNull(modelDescription.shape.model_sha256),
  property: modelDescription.shape.property,
  depth_top_cm: z.nullable(z.number()).check(z.describe('Upper limit of the layer')),
  depth_bottom_cm: z.nullable(z.number()).check(z.describe('Lower limit of the layer')),
  sample_support: modelDescription.shape.sample_support,
  data_period_start: z
    .nullable(z.int())
    .check(z.describe('First year of the data behind the map; null until the job is planned')),
  data_period_end: z.nullable(z.int()).check(z.describe('Last year of the data behind the map')),
  area_ha: orNull(
    area_ha,
    'Ground area of the polygon; null whenever `summary` in the batch status is null',
  ),
  predicted_area_ha: orNull(predicted_area_ha),
  mean: orNull(mean),
  lower,
  upper,
  standard_error: orNull(z.number(), 'Standard error of the mean; null without an interval'),
  unit: orNull(unit, 'Unit of `mean`, `lower` and `upper`'),
  level,
  method,
  // The column names include the unit, because GDAL reads a column that contains only `t` as booleans.
  stock_t: z
    .nullable(stockSchema.shape.value)
    .check(
      z.describe('The stock in the predicted area and the layer, in tonnes; its bounds follow'),
    ),
  stock_lower_t: stockSchema.shape.lower,
  stock_upper_t: stockSchema.shape.upper,
  stock_t_per_ha: z
    .nullable(z.number())
    .check(z.describe('The stock divided by the predicted area; its bounds follow')),
  stock_lower_t_per_ha: z.nullable(z.number()),
  stock_upper_t_per_ha: z.nullable(z.number()),
  stock_substance: z
    .nullable(z.string())
    .check(
      z.describe('The substance that the stock measures, as the model names it: carbon is not CO₂'),
    ),
  cell_min: orNull(z.number(), 'Lowest cell value'),
  cell_max: orNull(z.number(), 'Highest cell value'),
  cell_sd: orNull(
    z.number(),
    'Population standard deviation of the cell values (divisor n, not n − 1)',
  ),
  outside_share: orNull(outsideShare),
  outside_applicability_share: orNull(outsideApplicabilityShare),
  completed_at: jobFields.completed_at,
  result_url: z
    .nullable(z.url())
    .check(
      z.describe(
        'Redirects to the raster for as long as it exists; requires your API key. Null unless the job is completed',
      ),
    ),
  destination_uri: z
    .nullable(z.string())
    .check(z.describe('`s3://` URI of the raster in your bucket; null until it is copied')),
  results_expire_at: time.check(z.describe('When the links and this table stop working')),
});

export type ResultRowView = ViewOf<typeof resultRow>;

function orNull<Schema extends z.core.$ZodType>(schema: Schema, description?: string) {
  const nullable = z.nullable(schema);
  const text = description ?? z.globalRegistry.get(schema)?.description;
  return text === undefined ? nullable : nullable.check(z.describe(text));
}

/** @param resultUrl the stable link to a job's result */
export function resultRowView(
  { job, result, model }: ResultRow,
  catalogue: PackCatalogue,
  expireAt: Timestamp,
  resultUrl: (jobId: string) => string,
): ResultRowView {
  const { summary, warnings, data_period } = job;
  const stock = summary?.stock ?? null;
  const described = model === null ? null : describeModel(catalogue, model);
  const perHectare = (tonnes: number | null | undefined): number | null =>
    summary === null || typeof tonnes !== 'number'
      ? null
      : roundValue(tonnes / summary.predicted_area_ha);
  return {
    job_index: job.job_index,
    job_id: job.job_id,
    name: job.name,
    year: job.year,
    status: job.status,
    error_code: job.error_code,
    error_message: job.error_message,
    error_retryable: job.error_retryable,
    warning_codes: joinWords(warnings.map(({ code }) => code)),
    warning_messages: joinWords(warnings.map(({ message }) => message)),
    model: job.model,
    model_sha256: described?.model_sha256 ?? null,
    property: described?.property ?? null,
    depth_top_cm: described?.depth_cm?.[0] ?? null,
    depth_bottom_cm: described?.depth_cm?.[1] ?? null,
    sample_support: described?.sample_support ?? null,
    data_period_start: data_period?.[0] ?? null,
    data_period_end: data_period?.[1] ?? null,
    area_ha: summary?.area_ha ?? null,
    predicted_area_ha: summary?.predicted_area_ha ?? null,
    mean: summary?.mean ?? null,
    lower: summary?.lower ?? null,
    upper: summary?.upper ?? null,
    standard_error: summary?.standard_error ?? null,
    unit: summary?.unit ?? null,
    level: summary?.level ?? null,
    method: summary?.method ?? null,
    stock_t: stock?.value ?? null,
    stock_lower_t: stock?.lower ?? null,
    stock_upper_t: stock?.upper ?? null,
    stock_t_per_ha: perHectare(stock?.value),
    stock_lower_t_per_ha: perHectare(stock?.lower),
    stock_upper_t_per_ha: perHectare(stock?.upper),
    stock_substance: stock?.substance ?? null,
    cell_min: summary?.cell_min ?? null,
    cell_max: summary?.cell_max ?? null,
    cell_sd: summary?.cell_sd ?? null,
    outside_share: summary?.outside_share ?? null,
    outside_applicability_share: summary?.outside_applicability_share ?? null,
    completed_at: job.completed_at,
    result_url: result === null ? null : resultUrl(job.job_id),
    destination_uri: job.destination?.status === 'copied' ? job.destination.uri : null,
    results_expire_at: expireAt,
  };
}

function joinWords(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join(' ');
}

const COLUMNS = z.keyof(resultRow).options;

export const CSV_HEADER = joinCsvCells([...COLUMNS, 'properties']);

/**
 * `properties` are one column of JSON text, because separate columns would change from page to page and could share
 * names with ours.
 */
export function formatCsvRow({ properties }: ResultRow, row: ResultRowView): string {
  const text = properties === null ? null : JSON.stringify(properties);
  return joinCsvCells([...COLUMNS.map((name) => row[name]), text]);
}

/** RFC 7946, section 3.2. */
export function formatFeature(
  { job, requested, properties }: ResultRow,
  row: ResultRowView,
): string {
  const { polygon } = requested.geometry;
  return JSON.stringify({
    type: 'Feature',
    id: job.job_id,
    geometry: polygon === null ? null : toGeoJsonGeometry(polygon),
    properties: { ...row, properties },
  });
}
