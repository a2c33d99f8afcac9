import * as z from 'zod/mini';
import { named } from '../specification/published.ts';

/**
 * The GeoJSON (RFC 7946) of requests and responses, as the OpenAPI document describes it. Objects may have more fields
 * (section 6.1). Requests are not validated with these schemas, because an invalid geometry fails its job, with a
 * specific error code, rather than the batch.
 */
const position = z
  .array(z.number())
  .check(
    z.minLength(2),
    z.describe('Longitude and latitude (WGS 84); further numbers are ignored'),
  );

const rings = z
  .array(z.array(position).check(z.minLength(4)))
  .check(z.minLength(1), z.describe('The outer ring, then its holes; each ring is closed'));

export const polygon = named(
  'Polygon',
  z.object({ type: z.literal('Polygon'), coordinates: rings }),
);

export const multiPolygon = named(
  'MultiPolygon',
  z.object({
    type: z.literal('MultiPolygon'),
    coordinates: z.array(rings).check(z.minLength(1)),
  }),
);

export const polygonFeature = named(
  'PolygonFeature',
  z.object({
    type: z.literal('Feature'),
    geometry: z.union([polygon, multiPolygon]),
    properties: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
    id: z.optional(z.union([z.string(), z.number()])),
  }),
);
