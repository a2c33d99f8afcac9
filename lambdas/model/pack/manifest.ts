import * as z from 'zod';
import { isAddress, s3ObjectOf } from './hrefs.ts';

/**
 * A model pack's `manifest.json`: everything the service needs to know about a model that is not
 * in its graph or its covariates. `docs/model-packs.md` explains each member to its author.
 */

const name = z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, 'lower-case letters, digits, "_" and "-"');

/** A file of the pack: a relative path, no way out of the folder, no address. */
const file = z
  .string()
  .min(1)
  .refine(isFile, { message: "a path inside the pack's folder, no address" });

function isFile(href: string): boolean {
  return !href.startsWith('/') && !href.split('/').includes('..') && !isAddress(href);
}

/** A file of the pack, or one that is read by ranges where it lies. */
const fileOrAddress = z
  .string()
  .min(1)
  .refine((href) => isFile(href) || isHttps(href) || s3ObjectOf(href) !== null, {
    message: "a path inside the pack's folder, https://… or s3://bucket/key",
  });

function isHttps(href: string): boolean {
  if (!URL.canParse(href)) return false;
  const { protocol, username, password, hash } = new URL(href);
  // A name and password in it would be sent in no header, and logged.
  return protocol === 'https:' && `${username}${password}${hash}` === '';
}

const year = z.number().int().min(1900).max(2100);

const grid = z.strictObject({
  crs: z.strictObject({
    /** EPSG code written to the rasters' GeoKeys. */
    epsg: z.number().int().positive(),
    name: z.string().min(1),
    /** The whole definition, datum shift included: proj4 ships none (EPSG:28992 is 101 m off without). */
    proj4: z.string().startsWith('+proj='),
  }),
  /** Outer corner of the first cell: [west, north] in CRS units. */
  origin: z.tuple([z.number(), z.number()]),
  /** Edge of a square cell in CRS units. */
  cell_size: z.number().positive(),
  /** Columns and rows of the whole grid. */
  width: z.number().int().positive(),
  height: z.number().int().positive(),
  /** Edge of a GeoTIFF tile in cells; TIFF 6.0 wants a multiple of 16. */
  tile_size: z.number().int().multipleOf(16).min(64).max(1024),
  /** Largest edge of a patch-batch in tiles: a power of two, so that its overviews are its own too. */
  block_tiles: z.union([1, 2, 4, 8].map((n) => z.literal(n))),
});

const rasterCovariate = z.strictObject({
  kind: z.literal('raster'),
  name,
  description: z.string().min(1),
  unit: z.string().nullable(),
  href: fileOrAddress,
  /** Band of the file, from 1. */
  band: z.number().int().min(1).default(1),
  /** How its values get onto the grid; without it the file must lie on the grid as it is. */
  resampling: z.enum(['nearest', 'bilinear']).optional(),
  /** Definition of the file's CRS, where it is not the grid's nor one on WGS84 that the file names. */
  crs: z.strictObject({ proj4: z.string().startsWith('+proj=') }).optional(),
  /** The edge of the cells it was measured on, when coarser than the grid: it adds no detail. */
  native_cell_size: z.number().positive().optional(),
});

/** The cell centre's own coordinate in the grid's CRS. */
const coordinateCovariate = z.strictObject({
  kind: z.literal('coordinate'),
  name,
  description: z.string().min(1),
  axis: z.enum(['x', 'y']),
});

const distribution = z
  .strictObject({
    /** The graph's target that holds P(Y ≤ thresholds[0]); the others follow it. */
    first_target: z.number().int().min(0),
    /** Increasing values of the property, in its unit. */
    thresholds: z.array(z.number()).min(2),
    /** The property's support: P(Y ≤ lower) = 0 and P(Y ≤ upper) = 1. */
    lower: z.number(),
    upper: z.number(),
  })
  .refine(
    ({ thresholds, lower, upper }) =>
      [lower, ...thresholds, upper].every((t, i, all) => i === 0 || t > (all[i - 1] ?? t)),
    { message: 'lower < thresholds (increasing) < upper' },
  );

const band = z.strictObject({
  name,
  description: z.string().min(1),
  from: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('target'), index: z.number().int().min(0) }),
    z.strictObject({
      kind: z.literal('quantile'),
      /** The level the band claims, e.g. 0.05 for q05. */
      level: z.number().gt(0).lt(1),
      /** The probability at which the conditional distribution is inverted: the level, calibrated. */
      probability: z.number().gt(0).lt(1),
    }),
  ]),
});

const temporal = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('static'),
    /** Years the data were collected in; any year may be asked for and changes nothing. */
    data_period: z.tuple([year, year]),
  }),
  z.strictObject({
    kind: z.literal('period'),
    /** Years the one map holds for; any other is refused. */
    periods: z
      .array(z.tuple([year, year]))
      .length(1, 'exactly one period: the covariates are the same for every year'),
  }),
]);

const position = z.tuple([z.number(), z.number()]);

export const manifestSchema = z.strictObject({
  schema: z.literal('soil-model-pack/1'),
  id: name,
  version: z.string().regex(/^\d+\.\d+\.\d+$/, 'semantic version, e.g. 1.0.0'),
  title: z.string().min(1),
  property: z.strictObject({
    name: z.string().min(1),
    /** UDUNITS spelling, e.g. "kg/m3". */
    unit: z.string().min(1),
    depth_cm: z.tuple([z.number().min(0), z.number().positive()]),
  }),
  /** What one value stands for, e.g. the 15 × 15 m composite the samples were. */
  sample_support: z.string().min(1),
  grid,
  /** WGS84; a job's polygon must overlap it. */
  coverage: z.strictObject({
    type: z.literal('Polygon'),
    coordinates: z.array(z.array(position).min(4)).min(1),
  }),
  temporal,
  /** In the order of the graph's features. */
  covariates: z
    .array(z.discriminatedUnion('kind', [rasterCovariate, coordinateCovariate]))
    .min(1)
    .max(64),
  graph: z.strictObject({
    href: file,
    format: z.literal('onnx'),
    /** Number of values the graph gives for each point. */
    targets: z.number().int().positive(),
  }),
  distribution: distribution.optional(),
  /** A GeoTIFF of more than 32 bands is nobody's friend. */
  bands: z.array(band).min(1).max(32),
  /** Finite, outside the property's support; written to GDAL_NODATA. */
  nodata: z.number().finite(),
  /** Points one vCPU predicts in a second, as measured; sets the size of patch-batches. */
  points_per_second: z.number().positive(),
  accuracy: z.array(
    z.strictObject({
      metric: z.string().min(1),
      value: z.number(),
      how: z.string().min(1),
      command: z.string().min(1),
    }),
  ),
  /** One entry a part: samples, each covariate's source, the trained model. */
  licences: z
    .array(
      z.strictObject({
        part: z.string().min(1),
        licence: z.string().min(1),
        citation: z.string().min(1),
      }),
    )
    .min(1),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type Covariate = Manifest['covariates'][number];
export type Band = Manifest['bands'][number];
