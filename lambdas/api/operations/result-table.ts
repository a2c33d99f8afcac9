import * as z from 'zod/mini';
import { batchId } from '../../domain/wire.ts';
import { GEOJSON } from '../../results/formats.ts';
import { resultRow } from '../../results/result-row.ts';
import { pageFields } from '../http/parameters.ts';
import { named } from '../specification/published.ts';
import { multiPolygon, polygon } from './geojson.ts';

const page = {
  type: z.literal('FeatureCollection'),
  batch_id: batchId,
  finished: z.boolean().check(z.describe('Whether the batch is finished')),
  links: z
    .array(z.strictObject({ rel: z.literal('next'), href: z.string(), type: z.literal(GEOJSON) }))
    .check(z.describe('Link to the next page; empty on the last page')),
  next_cursor: pageFields.next_cursor,
} as const;

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
              'The polygon; null if it is not a Polygon or MultiPolygon in WGS 84 with closed rings',
            ),
          ),
        properties: z
          .strictObject({
            ...resultRow.shape,
            properties: z
              .nullable(z.record(z.string(), z.unknown()))
              .check(z.describe('Sent by the client')),
          })
          .check(z.describe('The columns of the CSV file')),
      }),
    ),
  }),
);

/** The STAC Item of a job. */
export const item = named(
  'Item',
  z.looseObject({
    type: z.literal('Feature'),
    stac_version: z.string(),
    id: resultRow.shape.job_id,
    assets: z.record(z.string(), z.unknown()),
  }),
);

export const itemCollection = named(
  'ItemCollection',
  z.strictObject({ ...page, features: z.array(item) }),
);
