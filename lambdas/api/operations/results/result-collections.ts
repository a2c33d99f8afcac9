import * as z from 'zod/mini';
import { batchId } from '../../../domain/wire.ts';
import { multiPolygon, polygon } from '../../contract/geojson.ts';
import { GEOJSON } from '../../http/response.ts';
import { named } from '../../specification/published.ts';
import { resultRow } from './result-row.ts';

const page = {
  type: z.literal('FeatureCollection'),
  batch_id: batchId,
  finished: z
    .boolean()
    .check(z.describe('Whether the batch is finished, so that no row will change')),
  links: z
    .array(z.strictObject({ rel: z.literal('next'), href: z.string(), type: z.literal(GEOJSON) }))
    .check(z.describe('The next page; empty on the last')),
} as const;

/** `format=geojson` */
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
              'The polygon, its numbers as sent; null if it is no Polygon or MultiPolygon in WGS 84 with closed rings',
            ),
          ),
        properties: z
          .strictObject({
            ...resultRow.shape,
            properties: z
              .nullable(z.record(z.string(), z.unknown()))
              .check(z.describe('The client’s, byte for byte as sent')),
          })
          .check(z.describe('The columns of the CSV file')),
      }),
    ),
  }),
);

/** `format=stac` */
export const itemCollection = named(
  'ItemCollection',
  z.strictObject({
    ...page,
    features: z.array(
      z.looseObject({
        type: z.literal('Feature'),
        stac_version: z.string(),
        id: resultRow.shape.job_id,
        assets: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
);
