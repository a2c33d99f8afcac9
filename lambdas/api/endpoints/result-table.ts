import * as z from 'zod/mini';
import {
  outsideApplicabilityShare,
  outsideShare,
  stockSchema,
  summarySchema,
} from '../../domain/job/job-summary.ts';
import { jobFields } from '../../domain/job/reading/job-schema.ts';
import { modelDescription } from '../../domain/job/reading/model-description.ts';
import { batchId, time, type ViewOf } from '../../domain/wire.ts';
import { pageFields } from '../http/parameters.ts';
import { named } from '../specification/published.ts';
import { GEOJSON, multiPolygon, polygon } from './geojson.ts';

const { area_ha, predicted_area_ha, mean, lower, upper, unit, level, method } = summarySchema.shape;

/**
 * The columns of the table in their order: every value is a scalar, so that no reader has to unpack it.
 * `properties`, the client's, follow them.
 */
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
    .check(z.describe('Joined by spaces; null if there are none')),
  warning_messages: z.nullable(z.string()).check(z.describe('Joined by spaces')),
  model: jobFields.model,
  model_sha256: orNull(modelDescription.shape.model_sha256),
  property: modelDescription.shape.property,
  depth_top_cm: z.nullable(z.number()).check(z.describe('Upper limit of the layer')),
  depth_bottom_cm: z.nullable(z.number()).check(z.describe('Lower limit of the layer')),
  sample_support: modelDescription.shape.sample_support,
  data_period_start: z
    .nullable(z.int())
    .check(z.describe('First year of the data behind the map; null until the job is planned')),
  data_period_end: z.nullable(z.int()).check(z.describe('Last year of this data')),
  area_ha: orNull(area_ha, 'Ground area of the polygon; null like `summary` in the batch status'),
  predicted_area_ha: orNull(predicted_area_ha),
  mean: orNull(mean),
  lower,
  upper,
  standard_error: orNull(z.number(), 'Of the mean; null without an interval'),
  unit: orNull(unit, 'Of `mean`, `lower` and `upper`'),
  level,
  method,
  // The unit is in the names: GDAL takes a column of nothing but `t` for truth values.
  stock_t: z
    .nullable(stockSchema.shape.value)
    .check(z.describe('Of the predicted area and the layer, in tonnes, with its bounds')),
  stock_lower_t: stockSchema.shape.lower,
  stock_upper_t: stockSchema.shape.upper,
  stock_t_per_ha: z
    .nullable(z.number())
    .check(z.describe('The stock ÷ the predicted area, with its bounds')),
  stock_lower_t_per_ha: z.nullable(z.number()),
  stock_upper_t_per_ha: z.nullable(z.number()),
  stock_substance: z
    .nullable(z.string())
    .check(z.describe('What the stock is of, as the model says: carbon is not CO₂')),
  cell_min: z
    .nullable(z.number())
    .check(z.describe('Least, greatest and standard deviation (÷ n) of the cells’ values')),
  cell_max: z.nullable(z.number()),
  cell_sd: z.nullable(z.number()),
  outside_share: orNull(outsideShare),
  outside_applicability_share: orNull(outsideApplicabilityShare),
  completed_at: jobFields.completed_at,
  result_url: z
    .nullable(z.url())
    .check(
      z.describe(
        'Leads to the raster for as long as it exists; needs your API key. Null unless the job is completed',
      ),
    ),
  results_expire_at: time.check(z.describe('From then on the links and this table are gone')),
});

export type ResultRowView = ViewOf<typeof resultRow>;

function orNull<Schema extends z.core.$ZodType>(schema: Schema, description?: string) {
  const nullable = z.nullable(schema);
  const text = description ?? z.globalRegistry.get(schema)?.description;
  return text === undefined ? nullable : nullable.check(z.describe(text));
}

const page = {
  type: z.literal('FeatureCollection'),
  batch_id: batchId,
  finished: z
    .boolean()
    .check(z.describe('Whether the batch is finished, so that no row will change')),
  links: z
    .array(z.strictObject({ rel: z.literal('next'), href: z.string(), type: z.literal(GEOJSON) }))
    .check(z.describe('The next page; empty on the last')),
  next_cursor: pageFields.next_cursor,
} as const;

/** The response for `format=geojson`. */
export const resultTable = named(
  'ResultTable',
  z.strictObject({
    ...page,
    features: z.array(
      z.strictObject({
        type: z.literal('Feature'),
        id: resultRow.shape.job_id,
        geometry: z
          .nullable(z.union([polygon, multiPolygon]))
          .check(
            z.describe(
              'The polygon; null if it is no Polygon or MultiPolygon in WGS 84 with closed rings',
            ),
          ),
        properties: z
          .strictObject({
            ...resultRow.shape,
            properties: z
              .nullable(z.record(z.string(), z.unknown()))
              .check(z.describe('The client’s')),
          })
          .check(z.describe('The columns of the CSV file')),
      }),
    ),
  }),
);

/** A STAC Item of a job. */
export const item = named(
  'Item',
  z.looseObject({
    type: z.literal('Feature'),
    stac_version: z.string(),
    id: resultRow.shape.job_id,
    assets: z.record(z.string(), z.unknown()),
  }),
);

/** The response for `format=stac`. */
export const itemCollection = named(
  'ItemCollection',
  z.strictObject({ ...page, features: z.array(item) }),
);
