import { jsonShape } from 'soil-batch-client';
import { TEXTS } from '../texts.ts';
import { crsOfGeoJson, type ToWgs84, toWgs84 } from './crs.ts';
import { MOST_CONTAINERS, MOST_DEPTH, MOST_FIELDS, MOST_VERTICES } from './limits.ts';
import {
  type Candidate,
  FileRefused,
  fieldsAmong,
  isPolygonal,
  type ReadFile,
} from './read-fields.ts';

/** The name of WGS 84 that is not an EPSG code. */
const WGS84 = /CRS84$/i;

/** @throws FileRefused */
export function readGeoJson(fileName: string, text: string): ReadFile {
  const document = parsed(fileName, text);
  const convert = conversionOf(fileName, document);
  return fieldsAmong(
    featuresOf(document)
      .map(candidateOf)
      .map((candidate) => {
        const { geometry } = candidate;
        return isPolygonal(geometry) ? { ...candidate, geometry: convert(geometry) } : candidate;
      }),
  );
}

/** From the system in `crs`, which GeoJSON had before RFC 7946; without one, positions are in WGS 84. */
function conversionOf(fileName: string, document: unknown): ToWgs84 {
  const name = Object(Object(Object(document)['crs'])['properties'])['name'];
  if (name === undefined || WGS84.test(String(name))) return (polygon) => polygon;
  const convert = toWgs84(crsOfGeoJson(String(name)));
  if (convert === null) throw new FileRefused(TEXTS.file.otherCrs(fileName, String(name)));
  return convert;
}

function parsed(fileName: string, text: string): unknown {
  const { depth, containers } = jsonShape(new TextEncoder().encode(text));
  if (depth > MOST_DEPTH) throw new FileRefused(TEXTS.file.tooDeep(fileName, MOST_DEPTH));
  if (containers > MOST_CONTAINERS) {
    throw new FileRefused(TEXTS.file.tooMany(fileName, MOST_FIELDS, MOST_VERTICES));
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new FileRefused(TEXTS.file.noJson(fileName));
  }
}

function featuresOf(document: unknown): readonly object[] {
  const { type, features, geometries } = Object(document);
  if (type === 'FeatureCollection' && Array.isArray(features)) return features.map(Object);
  if (type === 'GeometryCollection' && Array.isArray(geometries)) return geometries.map(Object);
  return [Object(document)];
}

function candidateOf(feature: object): Candidate {
  const { type, geometry, properties, id }: Record<string, unknown> = Object(feature);
  if (type !== 'Feature') return { geometry: feature, attributes: {} };
  return { geometry, attributes: recordOf(properties), id };
}

/** To list the keys of a long text or array would take minutes. */
function recordOf(properties: unknown): Readonly<Record<string, unknown>> {
  return typeof properties === 'object' && !Array.isArray(properties) ? Object(properties) : {};
}
