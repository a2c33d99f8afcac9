import { jsonShape } from 'soil-batch-client';
import * as z from 'zod';
import type { FieldCollection } from './field-collection.ts';
import { FieldsError } from './fields-error.ts';
import { MAX_JSON_CONTAINERS, MAX_JSON_DEPTH } from './limits.ts';
import { polygonsOf, type UncheckedFeature } from './polygons.ts';
import { collectionOf, readByGdal } from './vector-file.ts';

const WGS84 = { code: 'EPSG:4326', name: 'WGS 84' } as const;

/**
 * Names of WGS 84 longitude and latitude in the field `crs` of GeoJSON 2008, which RFC 7946 (section 4)
 * removed.
 */
const WGS84_NAME = /(^|[:/])(OGC[:/][\d.]*[:/]?CRS84|EPSG[:/][\d.]*[:/]*4326)$/i;
const EPSG_NAME = /(^|[:/])EPSG[:/][\d.]*[:/]*(\d+)$/i;

const feature = z.looseObject({
  type: z.literal('Feature'),
  geometry: z.unknown(),
  properties: z.record(z.string(), z.unknown()).nullish(),
});
const document = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('FeatureCollection'), features: z.array(feature) }),
  feature,
  z.looseObject({ type: z.literal('Polygon') }),
  z.looseObject({ type: z.literal('MultiPolygon') }),
]);
const namedCrs = z.object({
  crs: z.object({ properties: z.object({ name: z.string() }) }).nullish(),
});

/** GeoJSON (RFC 7946). GDAL is needed only for a file of GeoJSON 2008 in another system. */
export async function readGeoJson(
  file: string,
  content: Uint8Array,
  layer: string | null,
): Promise<FieldCollection> {
  if (layer !== null) {
    throw new FieldsError('choose-layer', `${file} is GeoJSON, which has no layers: omit --layer.`);
  }
  const json = parsed(file, content);
  const code = crsCode(file, json);
  if (code !== null) return inAnotherCrs(file, content, code);
  const features = featuresIn(file, json);
  refuseMetres(file, features);
  return {
    format: 'GeoJSON',
    layer: null,
    crs: WGS84,
    attributes: null,
    ...polygonsOf(file, features),
  };
}

function parsed(file: string, content: Uint8Array): unknown {
  refuseShape(file, content);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const problem = error instanceof SyntaxError ? `not valid JSON: ${reason}` : 'not in UTF-8';
    throw new FieldsError('damaged', `${file} is ${problem}.`, { cause: error });
  }
}

/** Before parsing: a small archive may hold a text whose value takes gigabytes. */
function refuseShape(file: string, content: Uint8Array): void {
  const { depth, containers } = jsonShape(content);
  if (depth > MAX_JSON_DEPTH) {
    throw new FieldsError(
      'too-large',
      `${file} nests arrays and objects ${depth} levels deep; at most ${MAX_JSON_DEPTH} can be read.`,
    );
  }
  if (containers <= MAX_JSON_CONTAINERS) return;
  throw new FieldsError(
    'too-large',
    `${file} has ${containers} arrays and objects, one for each vertex; at most ${MAX_JSON_CONTAINERS} can be read. Split it.`,
  );
}

function featuresIn(file: string, json: unknown): readonly UncheckedFeature[] {
  const result = document.safeParse(json);
  if (!result.success) {
    const path = result.error.issues[0]?.path.join('/') ?? '';
    throw new FieldsError(
      'unknown-format',
      `${file} is JSON but not a GeoJSON feature collection${path === '' ? '' : ` (see ${path})`}.`,
    );
  }
  const { data } = result;
  if (data.type === 'FeatureCollection') return data.features.map(unchecked);
  return data.type === 'Feature' ? [unchecked(data)] : [{ geometry: data, properties: {} }];
}

function unchecked({ geometry, properties }: z.infer<typeof feature>): UncheckedFeature {
  return { geometry, properties: properties ?? {} };
}

/** The EPSG code that `crs` names; null without the field or with WGS 84. */
function crsCode(file: string, json: unknown): number | null {
  const held = z.looseObject({ crs: z.unknown() }).safeParse(json);
  if (!held.success || held.data.crs === undefined || held.data.crs === null) return null;
  const name = namedCrs.safeParse(json).data?.crs?.properties.name;
  if (name !== undefined && WGS84_NAME.test(name)) return null;
  const code = name === undefined ? undefined : EPSG_NAME.exec(name)?.[2];
  if (code !== undefined) return Number(code);
  const found = name === undefined ? 'has no name' : `is ${JSON.stringify(name.slice(0, 80))}`;
  throw new FieldsError(
    'unknown-crs',
    `The coordinate reference system of ${file} (its field "crs") ${found}, not an EPSG code.`,
  );
}

async function inAnotherCrs(
  file: string,
  content: Uint8Array,
  code: number,
): Promise<FieldCollection> {
  const files = [{ name: 'fields.geojson', content }] as const;
  const openOptions = ['DATE_AS_STRING=YES'];
  const read = await readByGdal(file, { driver: 'GeoJSON', files, openOptions, layer: null });
  if (read.crs.code !== `EPSG:${code}`) {
    throw new FieldsError('unknown-crs', `EPSG:${code}, which ${file} names, is not known.`);
  }
  return { ...collectionOf('GeoJSON', file, read), layer: null, attributes: null };
}

/** Coordinates in metres are the most common mistake: RFC 7946 knows only degrees. */
function refuseMetres(file: string, features: readonly UncheckedFeature[]): void {
  for (const { geometry } of features) {
    const [x, y] = firstPosition(geometry);
    if (x === undefined || y === undefined || (Math.abs(x) <= 360 && Math.abs(y) <= 360)) continue;
    throw new FieldsError(
      'bad-coordinates',
      `${file} has coordinates such as [${x}, ${y}], which are no longitude and latitude, but names no coordinate reference system: GeoJSON is in WGS 84 (RFC 7946). Export it again in WGS 84, or as GeoPackage in its own system.`,
    );
  }
}

function firstPosition(geometry: unknown): readonly number[] {
  if (typeof geometry !== 'object' || geometry === null || !('coordinates' in geometry)) return [];
  let value: unknown = geometry.coordinates;
  while (Array.isArray(value) && Array.isArray(value[0])) value = value[0];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'number') : [];
}
