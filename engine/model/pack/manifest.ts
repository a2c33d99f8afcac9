import * as z from 'zod/mini';
import {
  covariates,
  definition,
  file,
  localCovariates,
  name,
  range,
  text,
} from './covariate-schema.ts';
import { SAMPLE_TYPES } from './sample-types.ts';

/**
 * The schema of a model pack's `manifest.json`; `docs/manifest.md` explains each field to pack
 * authors.
 */

const probability = z.number().check(z.gt(0), z.lt(1));

const year = z.int().check(z.minimum(1900), z.maximum(2100));

const period = z
  .tuple([year, year])
  .check(z.refine(([first, last]) => first <= last, 'expected the first year, then the last'));

/** The years that jobs may name, and those in which the data of their map were collected. */
const yearsWithData = z.strictObject({ years: period, data_period: period });

/** Years without a data period state that the map's data are from the same years. */
const yearsAlone = z.pipe(
  period,
  z.transform((years) => ({ years, data_period: years })),
);

const grid = z.strictObject(
  {
    crs: z.strictObject({
      /** EPSG code written to the rasters' GeoKeys. */
      epsg: z.int().check(z.positive()),
      name: text,
      /** The full definition, with the datum shift. */
      proj4: definition,
    }),
    /** Outer corner of the first cell: [west, north] in CRS units. */
    origin: z.tuple([z.number(), z.number()]),
    /** Edge of a square cell in CRS units. */
    cell_size: z.number().check(z.positive()),
    width: z.int().check(z.positive()),
    height: z.int().check(z.positive()),
    /** Edge of a GeoTIFF tile in cells; TIFF 6.0 requires a multiple of 16. */
    tile_size: z.int().check(z.multipleOf(16), z.minimum(64), z.maximum(1024)),
    /** Largest edge of a patch-batch in tiles: a power of two, so that its overviews are whole tiles. */
    block_tiles: z.union([1, 2, 4, 8, 16].map((n) => z.literal(n))),
  },
  {
    error: ({ input }) =>
      input === undefined
        ? 'missing: for a published map, `npm run pack-add` reads the grid from its files'
        : undefined,
  },
);

const distribution = z
  .strictObject({
    /** Index of the graph's target P(Y ≤ thresholds[0]); the other thresholds follow. */
    first_target: z.int().check(z.minimum(0)),
    /** Increasing values of the property, in its unit. */
    thresholds: z.array(z.number()).check(z.minLength(2)),
    /**
     * The property's support: P(Y < lower) = 0 and P(Y ≤ upper) = 1. If many values equal `lower`, for example 0, the
     * first threshold equals `lower` too.
     */
    lower: z.number(),
    upper: z.number(),
  })
  .check(
    z.refine(
      ({ thresholds, lower, upper }) =>
        lower <= (thresholds[0] ?? lower) &&
        [...thresholds, upper].every((t, i, all) => i === 0 || t > (all[i - 1] ?? t)),
      'expected increasing thresholds, with lower ≤ the first and the last < upper',
    ),
  );

const raster = z.strictObject({
  /** All bands have the same sample type. */
  sample_type: z._default(z.enum(SAMPLE_TYPES), 'float32'),
  /** Some readers lack zstd. */
  compression: z._default(z.enum(['deflate', 'zstd']), 'deflate'),
  /** Omits tiles outside the predicted patch-batches: GDAL reads nodata there, some other readers fail. */
  sparse: z._default(z.boolean(), false),
});

const displayRange = z
  .tuple([z.number(), z.number()])
  .check(z.refine(([low, high]) => low < high, 'expected the lower value, then the higher'));

/** Our own limits, which keep values, their squares and their sums within the numbers that every store can hold. */
const scale = z.number().check(z.minimum(1e-30), z.maximum(1e30));
const offset = z.number().check(z.minimum(-1e30), z.maximum(1e30));

const band = z.strictObject({
  name,
  description: text,
  /** The range of the colours, in the property's unit. */
  display_range: z.optional(displayRange),
  /** An integer cell holds (value − offset) ÷ scale, rounded. */
  scale: z.optional(scale),
  offset: z.optional(offset),
  /** Overview resampling: `average` for quantities, `mode` or `nearest` for classes. */
  overviews: z._default(z.enum(['average', 'nearest', 'mode']), 'average'),
  from: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('target'),
      index: z.int().check(z.minimum(0)),
      /** The nominal level of a target that is itself a quantile. */
      level: z.optional(probability),
    }),
    z.strictObject({
      kind: z.literal('quantile'),
      /** The nominal level, e.g. 0.05 for q05. */
      level: probability,
      /** The calibrated level: the probability at which the conditional distribution is inverted. */
      probability: probability,
    }),
    z.strictObject({
      /** The band is 1 in cells inside the area of applicability and 0 outside. */
      kind: z.literal('applicability'),
      level: z.optional(z.never()),
    }),
  ]),
});

/** Lower and upper limit of measurable values; null for no limit. */
const limits = z
  .tuple([z.nullable(z.number()), z.nullable(z.number())])
  .check(
    z.refine(
      ([lower, upper]) => lower === null || upper === null || lower < upper,
      'expected the lower limit, then the upper; null for no limit',
    ),
  );

/** How far the predictions may be off, for the interval of an area's mean. */
const error = z.strictObject({
  /** Names of the bands with the interval's bounds in each cell. */
  lower: name,
  upper: name,
  /** The correlation of the standardised errors, error ÷ half-width; without it no area has an interval. */
  correlation: z.optional(
    z.strictObject({
      model: z.literal('exponential'),
      /** The part of the error's variance without correlation between cells. */
      nugget: z.number().check(z.minimum(0), z.maximum(1)),
      /** Distance in metres at which the correlation falls to 1/e of its value at 0; not the "effective" range. */
      range_m: z.number().check(z.positive()),
    }),
  ),
  /** Standard deviation of an error that all cells share ÷ the value. */
  systematic_relative_sd: z._default(z.number().check(z.minimum(0), z.lt(1)), 0),
  /**
   * Standard deviation of the errors that cells do not share ÷ the standard deviation that the bounds imply; at
   * least 1, because the bounds do not reflect rare large errors.
   */
  standardised_sd: z._default(z.number().check(z.minimum(1), z.maximum(100)), 1),
  how: text,
  command: text,
});

/** Our own limit: a function compares cells with the points. */
const MAX_TRAINING_POINTS = 10_000;

/** Which cells are like the training data (Meyer & Pebesma 2021); `docs/manifest.md` has the formula. */
const applicability = z.strictObject({
  /** The covariates of the training points as little-endian float32, one point after the other. */
  href: file,
  points: z.int().check(z.minimum(2), z.maximum(MAX_TRAINING_POINTS)),
  weights: z.array(z.number().check(z.minimum(0))),
  /** The mean distance of all pairs of points, by scaled and weighted covariates. */
  mean_distance: z.number().check(z.positive()),
  /** The largest distance between a cell inside the area and its nearest point ÷ the mean distance. */
  threshold: z.number().check(z.minimum(0)),
  how: text,
});

/** One period for each year that a manifest may name. */
const MAX_PERIODS = 201;

const temporal = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('static'),
    /** Years in which the data were collected. A request may have any year; the result is the same. */
    data_period: period,
  }),
  z.strictObject({
    kind: z.literal('period'),
    /**
     * A year belongs to at most one period; jobs for years without a period are rejected. `[2015, 2019]` alone is its
     * own data period.
     */
    periods: z
      .array(
        z.union([yearsWithData, yearsAlone], {
          error: 'expected {"years": [first, last], "data_period": [first, last]}',
        }),
      )
      .check(z.minLength(1), z.maxLength(MAX_PERIODS)),
  }),
]);

const position = z.tuple([z.number(), z.number()]);

const rings = z.array(z.array(position).check(z.minLength(4))).check(z.minLength(1));

/** A coverage that crosses the antimeridian is a MultiPolygon (RFC 7946, 3.1.9). */
const coverage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('Polygon'), coordinates: rings }),
  z.strictObject({
    type: z.literal('MultiPolygon'),
    coordinates: z.array(rings).check(z.minLength(1)),
  }),
]);

/** Our own limits: pages show all of these texts next to the model's name. */
const notFor = z.array(text.check(z.maxLength(160))).check(z.maxLength(6));

/** A kilometre is deeper than any soil. */
const depth = z.number().check(z.minimum(0), z.maximum(100_000));

export const manifestSchema = z.strictObject({
  schema: z.literal('soil-model-pack/1'),
  id: name,
  version: z
    .string()
    .check(z.regex(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/, 'expected a semantic version, e.g. 1.0.0')),
  title: text,
  property: z.strictObject({
    name: text,
    /** UDUNITS spelling, e.g. "kg/m3". */
    unit: text.check(z.maxLength(20)),
    /** The range of measurable values; takes precedence over `property-limits.json`. */
    limits: z.optional(limits),
    /** The substance of a stock: "carbon" if the values are carbon's, not the organic matter's or CO₂'s. */
    substance: z.optional(text.check(z.maxLength(20))),
    depth_cm: z
      .tuple([depth, depth])
      .check(
        z.refine(([top, bottom]) => top < bottom, "expected the layer's top, then its bottom"),
      ),
  }),
  /** The area that one value represents, e.g. the 15 × 15 m of a composite sample. */
  sample_support: text,
  /** Uses for which the results are not evidence; each text continues "not for …". */
  not_for: z._default(notFor, []),
  grid,
  /** WGS84; a job's polygon must overlap it. */
  coverage,
  /** Whether only jobs that name the model run on it. */
  by_name_only: z.optional(z.boolean()),
  /** Whether the model exists only to check deployments and must not be offered to users. */
  for_checks: z.optional(z.boolean()),
  temporal,
  /** Lowest and highest value of the property in the training data, in its unit. */
  trained_range: z.optional(range),
  /** The covariates are in the order of the graph's features. */
  covariates,
  /** Absent for a published map, whose targets are its covariates. */
  graph: z.optional(
    z.strictObject({
      href: file,
      format: z.literal('onnx'),
      targets: z.int().check(z.positive()),
    }),
  ),
  applicability: z.optional(applicability),
  distribution: z.optional(distribution),
  /** Our own limit. */
  bands: z.array(band).check(z.minLength(1), z.maxLength(32)),
  error: z.optional(error),
  raster: z._default(raster, { sample_type: 'float32', compression: 'deflate', sparse: false }),
  /** A number of the sample type, outside the property's support as stored; written to GDAL_NODATA. */
  nodata: z.number(),
  /** Measured speed of one vCPU; determines the size of patch-batches. */
  points_per_second: z.number().check(z.positive()),
  accuracy: z.array(
    z.strictObject({
      metric: text,
      value: z.number(),
      how: text,
      command: text,
    }),
  ),
  /** One entry per part: the samples, each covariate's source, the trained model. */
  licenses: z
    .array(
      z.strictObject({
        part: text,
        license: text,
        citation: text,
      }),
    )
    .check(z.minLength(1)),
});

/** The manifest as the development server and an author's commands read it; see {@link localCovariates}. */
export const localManifestSchema = z.extend(manifestSchema, { covariates: localCovariates });

export type Manifest = z.infer<typeof manifestSchema>;
export type Covariate = Manifest['covariates'][number];
export type RasterCovariate = Extract<Covariate, { kind: 'raster' }>;
/** First and last year, both included. */
export type Years = z.infer<typeof period>;
export type Applicability = NonNullable<Manifest['applicability']>;
export type Band = Manifest['bands'][number];

/** Number of values per point from which the bands are computed. */
export function countTargets({
  graph,
  covariates,
}: Pick<Manifest, 'graph' | 'covariates'>): number {
  return graph?.targets ?? covariates.length;
}

export function isChosenByPlace({
  by_name_only: isByName = false,
  for_checks: isForChecks = false,
}: Pick<Manifest, 'by_name_only' | 'for_checks'>): boolean {
  return !isByName && !isForChecks;
}

export function coveragePolygonsOf({ coverage }: Pick<Manifest, 'coverage'>) {
  return coverage.type === 'Polygon' ? [coverage.coordinates] : coverage.coordinates;
}
