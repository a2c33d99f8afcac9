import { jsonShape } from 'soil-batch-client';
import * as z from 'zod';
import type { FieldCollection } from './field-collection.ts';
import { FieldsError } from './fields-error.ts';
import { MAX_JSON_CONTAINERS } from './limits.ts';
import { polygonsOf, type UncheckedFeature } from './polygons.ts';
import type { ReadOptions } from './read-options.ts';
import { MAX_DEPTH } from './rules/limits.ts';
import {
  crsOfGeoJson,
  firstPosition,
  isInDegrees,
  type NamedCrs,
} from './rules/reference-systems.ts';
import { FILE_TEXTS } from './rules/texts.ts';
import { collectionOf, NAME_IT, namesOther, readByGdal } from './vector-file.ts';

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

/** GeoJSON (RFC 7946). GDAL is needed only for coordinates in another system. */
export async function readGeoJson(
  file: string,
  content: Uint8Array,
  { layer = null, crs: chosen = null }: ReadOptions,
): Promise<FieldCollection> {
  if (layer !== null) {
    throw new FieldsError('choose-layer', `${file} is GeoJSON, which has no layers: omit --layer.`);
  }
  const json = parsed(file, content);
  const named = crsOfGeoJson(json);
  if (named !== null && named.epsg === null && chosen === null) throw unknownCrs(file, named);
  const features = featuresIn(file, json);
  const own = named?.epsg ?? null;
  if (own !== null && chosen !== null && own !== chosen) {
    throw namesOther(file, `EPSG:${own}`, chosen);
  }
  const inMetres = features.map(({ geometry }) => firstPosition(geometry)).find(isNotDegrees);
  if (own === null && chosen !== null && chosen !== WGS84 && inMetres === undefined) {
    throw new FieldsError(
      'wrong-crs',
      `${FILE_TEXTS.isInDegrees(file, `EPSG:${chosen}`)} Omit --crs.`,
    );
  }
  const code = own ?? chosen ?? WGS84;
  if (code !== WGS84) {
    const text = own === null ? withCrs(features, code) : content;
    return inAnotherCrs(file, text, code, chosen);
  }
  if (inMetres !== undefined) {
    throw new FieldsError('no-crs', FILE_TEXTS.notDegrees(file, inMetres, NAME_IT));
  }
  return { ...IN_WGS84, ...polygonsOf(file, features) };
}

const WGS84 = 4326;
const IN_WGS84 = {
  format: 'GeoJSON',
  layer: null,
  crs: { code: 'EPSG:4326', name: 'WGS 84' },
  attributes: null,
} as const;

const isNotDegrees = (position: readonly number[]) => !isInDegrees(position);

/** A text that names its system, which GDAL reads. */
function withCrs(features: readonly UncheckedFeature[], code: number): Uint8Array {
  const collection = {
    type: 'FeatureCollection',
    crs: { type: 'name', properties: { name: `EPSG:${code}` } },
    features: features.map((one) => ({ type: 'Feature', ...one })),
  };
  return new TextEncoder().encode(JSON.stringify(collection));
}

function parsed(file: string, content: Uint8Array): unknown {
  rejectShape(file, content);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const problem = error instanceof SyntaxError ? `not valid JSON: ${reason}` : 'not in UTF-8';
    throw new FieldsError('damaged', `${file} is ${problem}.`, { cause: error });
  }
}

/** Before parsing: a small archive may hold a text whose value takes gigabytes. */
function rejectShape(file: string, content: Uint8Array): void {
  const { depth, containers } = jsonShape(content);
  if (depth > MAX_DEPTH) {
    throw new FieldsError(
      'too-large',
      `${file} nests arrays and objects ${depth} levels deep; at most ${MAX_DEPTH} can be read.`,
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

function unknownCrs(file: string, { name }: NamedCrs): FieldsError {
  const found = name === '' ? 'has no name' : `is ${JSON.stringify(name.slice(0, 80))}`;
  return new FieldsError(
    'unknown-crs',
    `The coordinate reference system of ${file} (its field "crs") ${found}, not an EPSG code. ${NAME_IT}`,
  );
}

async function inAnotherCrs(
  file: string,
  content: Uint8Array,
  code: number,
  chosen: number | null,
): Promise<FieldCollection> {
  const files = [{ name: 'fields.geojson', content }] as const;
  const openOptions = ['DATE_AS_STRING=YES'];
  const task = { driver: 'GeoJSON', files, openOptions, layer: null, crs: chosen } as const;
  const read = await readByGdal(file, task);
  if (read.crs.code !== `EPSG:${code}`) {
    throw new FieldsError('unknown-crs', `EPSG:${code} is not known.`);
  }
  return { ...collectionOf('GeoJSON', file, read), layer: null, attributes: null };
}
