import * as z from 'zod/mini';
import { chooseDisplayRange } from '#engine/model/display-range.ts';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { Band, Manifest } from '#engine/model/pack/manifest.ts';
import { listMapPeriods } from '#engine/model/pack/periods.ts';
import { unitOf } from '#engine/model/pack/property.ts';
import { findMeanBand } from '#engine/model/pack/summarised-bands.ts';
import { memoize } from '../../adapters/memoized.ts';
import { temporality } from '../../domain/job/reading/job-schema.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { readQuery } from '../http/query.ts';
import { revalidated } from '../http/response.ts';
import { named } from '../specification/published.ts';
import models from './examples/models.json' with { type: 'json' };
import { multiPolygon, polygon } from './geojson.ts';

const pair = z.array(z.number()).check(z.length(2));

const years = z.array(z.int()).check(z.length(2));

const sampleType = named('SampleType', z.enum(['float32', 'int16', 'uint16', 'uint8']));

const band = z.strictObject({
  name: z.string(),
  description: z.string(),
  unit: z
    .string()
    .check(z.describe('Unit in UDUNITS spelling; the same as the property’s for most bands')),
  level: z
    .nullable(z.number())
    .check(z.describe('The quantile’s level, such as 0.05 for q05; null for other bands')),
  scale: z
    .number()
    .check(z.positive(), z.describe('A cell’s value is the stored number × `scale` + `offset`')),
  offset: z.number(),
  display_range: z
    .nullable(pair)
    .check(
      z.describe(
        'Values of the lowest and highest colour, the same for all results of the model; null if the pack states none, in which case use the result’s own range',
      ),
    ),
});

const accuracy = z.strictObject({
  metric: z.string(),
  value: z.number(),
  how: z.string().check(z.describe('How the accuracy was measured')),
});

const error = z.strictObject({
  lower: z.string().check(z.describe('Band with the lower bound of each cell')),
  upper: z.string(),
  correlation: z
    .nullable(
      z.strictObject({
        model: z.literal('exponential'),
        nugget: z
          .number()
          .check(
            z.describe(
              'Fraction of the variance that is not correlated between cells. At distance d, the correlation is (1 − `nugget`) × e^(−d / `range_m`)',
            ),
          ),
        range_m: z.number().check(z.describe('In metres; see `nugget`')),
      }),
    )
    .check(
      z.describe(
        'Correlation between the standardised prediction errors of cells; if null, fields have no interval',
      ),
    ),
  systematic_relative_sd: z
    .number()
    .check(
      z.describe(
        'Standard deviation of a prediction error that all cells share, relative to the value',
      ),
    ),
  standardised_sd: z
    .number()
    .check(
      z.describe(
        'Standard deviation of the errors that cells do not share, divided by the standard deviation that the bounds imply; at least 1',
      ),
    ),
  how: z.string(),
});

const license = z.strictObject({
  part: z.string(),
  license: z.string().check(z.describe('SPDX identifier or the license’s name')),
  citation: z.string(),
});

const model = named(
  'Model',
  z.strictObject({
    model: z
      .string()
      .check(z.describe('`id@version`, as in the field `model` of a request and of a job')),
    id: z.string(),
    version: z.string(),
    title: z.string(),
    property: z.strictObject({
      name: z.string(),
      unit: z.string().check(z.describe('UDUNITS spelling')),
      substance: z
        .optional(z.string())
        .check(
          z.describe(
            'The substance that a stock measures, such as carbon; absent if the pack does not state it',
          ),
        ),
      depth_cm: pair.check(z.describe('Upper and lower limits of the layer, in centimetres')),
    }),
    sample_support: z.string().check(z.describe('The area or volume that one value represents')),
    not_for: z
      .array(z.string())
      .check(
        z.describe(
          'What the model’s results are not evidence for; each text continues “not for …”',
        ),
      ),
    for_checks: z
      .boolean()
      .check(
        z.describe(
          'Whether the model exists only to check deployments and must not be offered to users',
        ),
      ),
    bands: z.array(band).check(z.minLength(1), z.describe('The raster’s bands, in order')),
    mean_band: z
      .nullable(z.string())
      .check(
        z.describe(
          'Name of the band whose mean a job’s `summary` states; null if the model does not predict the mean of a quantity',
        ),
      ),
    sample_type: sampleType.check(z.describe('The data type of the raster’s cells')),
    nodata: z.number().check(z.describe('The value of cells without a prediction')),
    coverage: z
      .union([polygon, multiPolygon])
      .check(
        z.describe(
          'The area in which the model is valid: a GeoJSON Polygon or MultiPolygon (RFC 7946)',
        ),
      ),
    temporal: temporality.check(z.describe('As in a job; a `static` model is valid for any year')),
    data_period: z
      .array(z.int())
      .check(z.length(2), z.describe('First and last year of the data over all `periods`')),
    periods: z
      .array(
        z.strictObject({
          years: z
            .nullable(years)
            .check(z.describe('First and last year that a job may name; null for any year')),
          data_period: years.check(z.describe('First and last year of the data behind this map')),
        }),
      )
      .check(
        z.minLength(1),
        z.describe('The model’s maps; jobs for all years of one period get the same map'),
      ),
    grid: z.strictObject({
      crs: z.string().check(z.describe('CRS of the raster, as an EPSG code')),
      crs_name: z.string(),
      crs_proj4: z
        .string()
        .check(
          z.describe(
            'Full definition of the CRS for PROJ and proj4js, including the datum shift that an EPSG code leaves to the reader',
          ),
        ),
      cell_size: z
        .number()
        .check(z.positive(), z.describe('Edge length of a cell, in units of the CRS')),
    }),
    error: z
      .nullable(error)
      .check(
        z.describe(
          'How far predictions may be off; intervals of fields and totals are computed from this. Null if the pack does not state it',
        ),
      ),
    accuracy: z.array(accuracy),
    licenses: z.array(license).check(z.minLength(1)),
  }),
);

export const modelsResponse = named(
  'ModelList',
  z.strictObject({
    models: z
      .array(model)
      .check(
        z.minLength(1),
        z.describe(
          'In the order in which models are tried for a job without `model`; some are used only if a job or its batch names them',
        ),
      ),
  }),
);

export type ModelsResponse = z.infer<typeof modelsResponse>;

export const modelsDefinition = {
  operationId: 'getModels',
  tag: 'Service',
  summary: 'Models',
  description:
    'The deployed models: what they predict, where they are valid, what they must not be used for, and their accuracy, licenses and citations.',
  parameters: ['ifNoneMatch'],
  response: {
    status: 200,
    description: 'The models',
    headers: ['ETag', 'Cache-Control'],
    content: { schema: modelsResponse, example: models },
  },
  problems: [],
} as const satisfies OperationDefinition;

export interface ModelsPorts {
  readonly catalogue: () => Promise<PackCatalogue>;
}

export function modelsOperation({ catalogue }: ModelsPorts): Operation {
  const response = memoize(async (): Promise<ModelsResponse> => {
    const { packs } = await catalogue();
    return { models: packs.map(({ ref, manifest }) => modelView(ref, manifest)) };
  });
  return async (request) => {
    readQuery(request, []);
    return revalidated(request, await response());
  };
}

/** @param ref `id@version` */
function modelView(ref: string, manifest: Manifest): ModelsResponse['models'][number] {
  const { id, version, title, property, sample_support, not_for, licenses } = manifest;
  const { nodata, coverage, grid, raster } = manifest;
  const { limits: _, ...described } = property;
  return {
    model: ref,
    id,
    version,
    title,
    property: described,
    sample_support,
    not_for,
    for_checks: manifest.for_checks ?? false,
    bands: manifest.bands.map((band) => bandView(manifest, band)),
    mean_band: manifest.bands[findMeanBand(manifest)]?.name ?? null,
    sample_type: raster.sample_type,
    nodata,
    coverage,
    temporal: manifest.temporal.kind,
    data_period: wholeDataPeriod(manifest),
    periods: listMapPeriods(manifest).map(({ years, dataPeriod }) => ({
      years: years === null ? null : [...years],
      data_period: [...dataPeriod],
    })),
    grid: {
      crs: `EPSG:${grid.crs.epsg}`,
      crs_name: grid.crs.name,
      crs_proj4: grid.crs.proj4,
      cell_size: grid.cell_size,
    },
    error: errorView(manifest.error),
    accuracy: manifest.accuracy.map(({ metric, value, how }) => ({ metric, value, how })),
    licenses,
  };
}

function errorView(error: Manifest['error']): ModelsResponse['models'][number]['error'] {
  if (error === undefined) return null;
  const { lower, upper, correlation = null, systematic_relative_sd, standardised_sd, how } = error;
  return { lower, upper, correlation, systematic_relative_sd, standardised_sd, how };
}

function bandView(
  manifest: Manifest,
  band: Band,
): ModelsResponse['models'][number]['bands'][number] {
  const { name, description, from, scale = 1, offset = 0 } = band;
  const range = chooseDisplayRange(manifest, band);
  return {
    name,
    description,
    unit: unitOf(manifest, band),
    level: from.level ?? null,
    scale,
    offset,
    display_range: range === null ? null : [...range],
  };
}

function wholeDataPeriod(manifest: Manifest): [number, number] {
  const periods = listMapPeriods(manifest).map(({ dataPeriod }) => dataPeriod);
  return [
    Math.min(...periods.map(([first]) => first)),
    Math.max(...periods.map(([, last]) => last)),
  ];
}
