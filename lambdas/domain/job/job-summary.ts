import * as z from 'zod/mini';

const amount = z.number();
const notNegative = amount.check(z.minimum(0));
const points = z.int().check(z.nonnegative());

export const stockSchema = z
  .strictObject({
    value: amount,
    lower: z.nullable(amount),
    upper: z.nullable(amount),
    unit: z.literal('t'),
    substance: z
      .nullable(z.string())
      .check(
        z.describe(
          'What the stock is of, as the model says: carbon is not CO₂; null if it does not',
        ),
      ),
  })
  .check(
    z.describe(
      'Of the predicted area and the layer; null unless the unit is kg/m3 or t/ha, and if the property cannot have this mean',
    ),
  );

const OUTSIDE_SHARE =
  'Share of the cells with a value where a covariate lies outside what the model was trained on';

export const outsideShare = notNegative.check(z.maximum(1), z.describe(OUTSIDE_SHARE));

const OUTSIDE_APPLICABILITY_SHARE =
  'Share of the cells with a value outside the area of applicability: unlike all that the model was trained on';

export const outsideApplicabilityShare = notNegative.check(
  z.maximum(1),
  z.describe(OUTSIDE_APPLICABILITY_SHARE),
);

/** Names the formulas of `docs/intervals.md`; changes with them. */
export const SUMMARY_METHOD = 'correlated-errors/3';

/** Earlier results stay readable. */
const METHODS = ['correlated-errors/2', SUMMARY_METHOD] as const;

/** The numbers of a job's polygon as a whole, as stored and on the wire. */
export const summarySchema = z.strictObject({
  area_ha: notNegative.check(z.describe('Ground area of the polygon')),
  predicted_area_ha: notNegative.check(
    z.describe('Of this, where the model has a value; nothing is extrapolated to the rest'),
  ),
  mean: amount.check(
    z.describe('Mean of the predicted area, each cell weighted by its part of it'),
  ),
  lower: z
    .nullable(amount)
    .check(
      z.describe(
        "Bounds of the mean's prediction interval; null if the model declares no correlation of its errors",
      ),
    ),
  upper: z.nullable(amount),
  unit: z.string().check(z.describe('Of `mean`, `lower` and `upper`')),
  level: z
    .nullable(amount.check(z.gt(0), z.lt(1)))
    .check(z.describe('Probability of the interval; null without one')),
  method: z
    .nullable(z.enum(METHODS))
    .check(z.describe('How the interval is computed; null without one')),
  stock: z.nullable(stockSchema),
  standard_error: z
    .nullable(notNegative)
    .check(z.describe('Of the mean; null without an interval')),
  stock_per_ha: z
    .nullable(amount)
    .check(z.describe('The stock ÷ the predicted area, in t/ha; null without a stock')),
  cell_min: amount.check(
    z.describe('Lowest value, highest value and standard deviation (÷ n) of the cells'),
  ),
  cell_max: amount,
  cell_sd: notNegative,
  impossible_point_count: points.check(
    z.describe('Cells whose mean the property cannot have, such as a negative density'),
  ),
  outside_bounds_point_count: z
    .nullable(points)
    .check(z.describe('Cells whose mean lies outside their own bounds; null without an interval')),
  outside_share: z
    .nullable(outsideShare)
    .check(z.describe(`${OUTSIDE_SHARE}; null if the model does not state that`)),
  outside_applicability_share: z
    .nullable(outsideApplicabilityShare)
    .check(
      z.describe(`${OUTSIDE_APPLICABILITY_SHARE}; null if the model does not state that area`),
    ),
});

/** A stored summary may have fields of a newer version that runs alongside this one; they are ignored. */
export const storedSummary = z.object({
  ...summarySchema.shape,
  stock: z.nullable(z.object(stockSchema.shape)),
});

export type JobSummary = Readonly<z.infer<typeof summarySchema>>;

/** Significant digits: far beyond the accuracy of any model, few enough to read. */
const VALUE_DIGITS = 6;
const AREA_DIGITS = 8;

export function rounded(value: number): number {
  return Number(value.toPrecision(VALUE_DIGITS));
}

export function roundedArea(hectares: number): number {
  return Number(hectares.toPrecision(AREA_DIGITS));
}
