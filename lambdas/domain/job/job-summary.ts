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
          'The substance that the stock measures, as the model names it (carbon is not CO₂); null if the model does not name it',
        ),
      ),
  })
  .check(
    z.describe(
      'The stock in the predicted area and the layer; null if the unit is neither kg/m3 nor t/ha, or if the mean is impossible for the property',
    ),
  );

const OUTSIDE_SHARE =
  'Share of the predicted cells where a covariate lies outside the range of the training data';

export const outsideShare = notNegative.check(z.maximum(1), z.describe(OUTSIDE_SHARE));

const OUTSIDE_APPLICABILITY_SHARE =
  'Share of the predicted cells whose covariates are unlike all training data, so that the cells are outside the area of applicability';

export const outsideApplicabilityShare = notNegative.check(
  z.maximum(1),
  z.describe(OUTSIDE_APPLICABILITY_SHARE),
);

/** The version of the formulas in `docs/intervals.md`; it changes with them. */
export const SUMMARY_METHOD = 'correlated-errors/3';

/** The earlier method stays, so that earlier results stay readable. */
const METHODS = ['correlated-errors/2', SUMMARY_METHOD] as const;

export const summarySchema = z.strictObject({
  area_ha: notNegative.check(z.describe('Ground area of the polygon')),
  predicted_area_ha: notNegative.check(
    z.describe(
      'The part of `area_ha` where the model has a value; nothing is extrapolated to the rest',
    ),
  ),
  mean: amount.check(
    z.describe('Mean over the predicted area, with each cell weighted by its share of the area'),
  ),
  lower: z
    .nullable(amount)
    .check(
      z.describe(
        "With `upper`, the bounds of the mean's prediction interval; null if the model does not declare how its prediction errors correlate, or if these errors are too large to add up",
      ),
    ),
  upper: z.nullable(amount),
  unit: z.string().check(z.describe('Unit of `mean`, `lower` and `upper`')),
  level: z
    .nullable(amount.check(z.gt(0), z.lt(1)))
    .check(z.describe('Probability of the interval; null without an interval')),
  method: z
    .nullable(z.enum(METHODS))
    .check(z.describe('How the interval is computed; null without an interval')),
  stock: z.nullable(stockSchema),
  standard_error: z
    .nullable(notNegative)
    .check(z.describe('Standard error of the mean; null without an interval')),
  stock_per_ha: z
    .nullable(amount)
    .check(z.describe('The stock divided by the predicted area, in t/ha; null without a stock')),
  cell_min: amount.check(z.describe('Lowest cell value')),
  cell_max: amount.check(z.describe('Highest cell value')),
  cell_sd: notNegative.check(
    z.describe('Population standard deviation of the cell values (divisor n, not n − 1)'),
  ),
  impossible_point_count: points.check(
    z.describe(
      'Number of cells whose mean is impossible for the property, such as a negative density',
    ),
  ),
  outside_bounds_point_count: z
    .nullable(points)
    .check(
      z.describe(
        "Number of cells whose mean lies outside the cell's own bounds; null if the model does not declare how its prediction errors correlate",
      ),
    ),
  outside_share: z
    .nullable(outsideShare)
    .check(z.describe(`${OUTSIDE_SHARE}; null if the model does not state that range`)),
  outside_applicability_share: z
    .nullable(outsideApplicabilityShare)
    .check(
      z.describe(`${OUTSIDE_APPLICABILITY_SHARE}; null if the model does not state that area`),
    ),
});

/** A newer version that runs alongside this one may store additional fields, which are ignored. */
export const storedSummary = z.object({
  ...summarySchema.shape,
  stock: z.nullable(z.object(stockSchema.shape)),
});

export type JobSummary = Readonly<z.infer<typeof summarySchema>>;

/** Significant digits: more than the accuracy of any model. */
const VALUE_DIGITS = 6;
const AREA_DIGITS = 8;

export function roundValue(value: number): number {
  return Number(value.toPrecision(VALUE_DIGITS));
}

export function roundArea(hectares: number): number {
  return Number(hectares.toPrecision(AREA_DIGITS));
}
