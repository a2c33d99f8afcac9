import * as z from 'zod/mini';
import { isUrl, parseS3Url } from './pack-files.ts';

// The covariates in a manifest; `docs/manifest.md` explains each field to pack authors.

export const text = z.string().check(z.minLength(1));
export const name = z
  .string()
  .check(
    z.regex(
      /^[a-z][a-z0-9_-]{0,62}$/,
      'expected 1 to 63 lower-case letters, digits, "_" and "-", starting with a letter',
    ),
  );

export const range = z
  .tuple([z.number(), z.number()])
  .check(z.refine(([min, max]) => min <= max, 'expected the lowest value, then the highest'));

export const definition = z.string().check(z.startsWith('+proj='));

export const file = text.check(
  z.refine(isFile, "expected a path inside the pack's folder, not a URL"),
);

function isFile(href: string): boolean {
  return !href.startsWith('/') && !href.split('/').includes('..') && !isUrl(href);
}

const FILE_OR_URL = "expected a path inside the pack's folder, https://… or s3://bucket/key";

function isFileOrUrl(href: string): boolean {
  return isFile(href) || isHttps(href) || parseS3Url(href) !== null;
}

function isHttps(href: string): boolean {
  if (!URL.canParse(href)) return false;
  const { protocol, username, password, hash } = new URL(href);
  // Credentials in a URL would be logged, and not sent.
  return protocol === 'https:' && `${username}${password}${hash}` === '';
}

/** A value for all periods, or an object with a value for each period; the keys are years, such as `"2015-2019"`. */
const byPeriodSchema = <T extends z.ZodMiniType>(value: T, expected: string) =>
  z.union([value, z.record(z.string(), value)], {
    error: `${expected}, or an object with one per period; the keys are years, such as "2015-2019"`,
  });

/** Our own limit, far beyond any legend: functions hold the classes in memory. */
const MAX_CLASSES = 10_000;

const factor = z.number().check(z.refine((scale) => scale !== 0, 'expected a number other than 0'));

const rasterCovariateSchema = (isAllowed: (href: string) => boolean) =>
  z.strictObject({
    kind: z.literal('raster'),
    name,
    description: text,
    unit: z.nullable(z.string()),
    href: byPeriodSchema(text.check(z.refine(isAllowed, FILE_OR_URL)), FILE_OR_URL),
    /** From 1. */
    band: z._default(z.int().check(z.minimum(1)), 1),
    /** How the file is resampled to the pack's grid; without it, the file must have exactly that grid. */
    resampling: z.optional(z.enum(['nearest', 'bilinear'])),
    /**
     * Definition of the file's CRS; required unless the CRS is the grid's, or one on WGS84 that the file names and
     * `findEpsgDefinition` knows.
     */
    crs: z.optional(z.strictObject({ proj4: definition })),
    /** The value is the stored number × `scale` + `offset`. `scale`, `offset` and `nodata` override the file's tags. */
    scale: z.optional(byPeriodSchema(factor, 'expected a number other than 0')),
    offset: z.optional(byPeriodSchema(z.number(), 'expected a number')),
    /** The stored number of missing cells. */
    nodata: z.optional(byPeriodSchema(z.number(), 'expected a number')),
    /** Original cell size, if coarser than the grid. */
    native_cell_size: z.optional(z.number().check(z.positive())),
    /** Lowest and highest value in the training data, for a quantity. */
    trained_range: z.optional(range),
    /** The values in the training data, for a covariate whose values are classes. */
    trained_classes: z.optional(
      z.array(z.number()).check(z.minLength(1), z.maxLength(MAX_CLASSES)),
    ),
  });

/** The coordinate of the cell centre in the grid's CRS. */
const coordinateCovariate = z.strictObject({
  kind: z.literal('coordinate'),
  name,
  description: text,
  axis: z.enum(['x', 'y']),
  trained_range: z.optional(range),
});

const covariatesSchema = (isAllowed: (href: string) => boolean) =>
  z
    .array(z.discriminatedUnion('kind', [rasterCovariateSchema(isAllowed), coordinateCovariate]))
    .check(z.minLength(1), z.maxLength(64));

export const covariates = covariatesSchema(isFileOrUrl);

/**
 * The development server and an author's commands may read from a server on the same machine. On AWS such a URL would
 * reach the function's runtime API, so a deployment rejects it.
 */
export const localCovariates = covariatesSchema((href) => isFileOrUrl(href) || isOwnMachine(href));

/** Accepts only literal addresses in this spelling, so that no name has to be resolved. */
function isOwnMachine(href: string): boolean {
  return /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::\d{1,5})?\/[^#]*$/.test(href) && URL.canParse(href);
}
