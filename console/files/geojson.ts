import { measureJsonShape } from '#engine/json/json-bytes.ts';
import { TEXTS } from '../texts.ts';
import { findConversion, firstPosition, MOST_METRES, type NamedCrs } from './crs.ts';
import { selectFields } from './fields-among.ts';
import {
  type Candidate,
  type Choice,
  type FileFields,
  FileQuestion,
  FileRejected,
  type ToWgs84,
  tooManyError,
} from './file-fields.ts';
import { MOST_CONTAINERS, MOST_DEPTH } from './file-limits.ts';
import { isInDegrees, listPlaces, outlineOf } from './outline.ts';

/** @throws FileRejected */
export function readGeoJson(fileName: string, text: string, choice: Choice = {}): FileFields {
  const document = parseDocument(fileName, text);
  const candidates = listFeatures(fileName, document).map(readCandidate);
  const convert = conversionFor(fileName, document, candidates, choice);
  return selectFields(fileName, candidates, convert, choice);
}

/** GeoJSON before RFC 7946 could name its system in `crs`; without it, positions are in WGS 84. */
function conversionFor(
  fileName: string,
  document: unknown,
  candidates: readonly Candidate[],
  { crs: chosen }: Choice,
): ToWgs84 {
  const named = readCrs(document);
  if (named !== null) return findConversion(fileName, named.name === '' ? null : named, chosen);
  const outlines = candidates.map(({ geometry }) => outlineOf(geometry));
  const areas = outlines.flatMap((outline) => (outline.kind === 'area' ? [outline.area] : []));
  const places =
    areas.length > 0
      ? areas.map(firstPosition)
      : candidates.flatMap(({ geometry }) => listPlaces(geometry));
  const metres = places.find(isInMetres);
  if (metres === undefined) return findConversion(fileName, WGS84, chosen);
  if (chosen !== undefined) return findConversion(fileName, null, chosen);
  throw new FileQuestion(TEXTS.file.notDegrees(fileName, metres), { kind: 'crs' });
}

const WGS84: NamedCrs = { epsg: 4326, name: 'WGS 84, as GeoJSON in degrees always is (RFC 7946)' };

/** Names of WGS 84 in longitude, latitude order that have no EPSG code. */
const CRS84 = /(^|[:/])(OGC[:/][\d.]*[:/]?)?CRS84$/i;
const EPSG = /(^|[:/])EPSG[:/](?:[\d.]*[:/])?(\d{1,6})$/i;

/**
 * Reads the reference system in `crs` from a URN, a URL, or a code such as `EPSG:28992`. Null without `crs`;
 * the name is empty for other kinds of `crs`.
 */
function readCrs(document: unknown): NamedCrs | null {
  const { crs } = Object(document);
  if (crs === undefined || crs === null) return null;
  const { name: given } = Object(Object(crs).properties);
  const name = typeof given === 'string' ? given : '';
  if (CRS84.test(name)) return { epsg: 4326, name };
  const code = EPSG.exec(name)?.[2];
  return { epsg: code === undefined ? null : Number(code), name };
}

/** Coordinates in metres without a named reference system are a common mistake. */
function isInMetres(position: readonly number[]): boolean {
  const [x = 0, y = 0] = position;
  return !isInDegrees([x, y]) && Math.max(Math.abs(x), Math.abs(y)) <= MOST_METRES;
}

function parseDocument(fileName: string, text: string): unknown {
  const { depth, containers } = measureJsonShape(new TextEncoder().encode(text));
  if (depth > MOST_DEPTH)
    throw new FileRejected('too_large', TEXTS.file.tooDeep(fileName, MOST_DEPTH));
  if (containers > MOST_CONTAINERS) {
    throw tooManyError(fileName);
  }
  try {
    return JSON.parse(quoteLongIntegers(text.replace(/^\uFEFF/, '')));
  } catch {
    if (isSequence(text)) throw new FileRejected('unknown_format', TEXTS.file.notGeoJson(fileName));
    throw new FileRejected('damaged', TEXTS.file.noJson(fileName));
  }
}

/** Strings, or long integers that are values of members; coordinates are neither. */
const TEXT_OR_INTEGER = /"[^"\\]*(?:\\.[^"\\]*)*"|(:\s*)(-?\d{16,})(?=\s*[,}])/g;

/** Long identifiers become strings, which JavaScript does not round. */
export function quoteLongIntegers(text: string): string {
  if (!/[:\s-]\d{16,}\s*[,}]/.test(text)) return text;
  return text.replace(TEXT_OR_INTEGER, (found, before?: string, digits?: string) =>
    digits === undefined || Number.isSafeInteger(Number(digits)) ? found : `${before}"${digits}"`,
  );
}

const RECORD_SEPARATOR = '\u001e';

/**
 * Whether the first line is a whole document, as in GeoJSON text sequences (RFC 8142) and newline-delimited GeoJSON.
 */
function isSequence(text: string): boolean {
  const [first = ''] = text.trimStart().replace(RECORD_SEPARATOR, '').split('\n', 1);
  try {
    JSON.parse(first);
    return true;
  } catch {
    return false;
  }
}

const GEOMETRIES = /^(Feature|(Multi)?(Point|LineString|Polygon))$/;

/** @throws FileRejected for JSON that is not GeoJSON, such as TopoJSON */
function listFeatures(fileName: string, document: unknown): readonly object[] {
  const { type, features, geometries } = Object(document);
  if (type === 'FeatureCollection' && Array.isArray(features)) return features.map(Object);
  if (type === 'GeometryCollection' && Array.isArray(geometries)) return geometries.map(Object);
  if (GEOMETRIES.test(String(type))) return [Object(document)];
  throw new FileRejected('unknown_format', TEXTS.file.notGeoJson(fileName));
}

function readCandidate(feature: object): Candidate {
  const { type, geometry, properties, id }: Record<string, unknown> = Object(feature);
  if (type !== 'Feature') return { geometry: feature, attributes: {} };
  const attributes = readRecord(properties);
  return {
    geometry,
    attributes: id === undefined ? attributes : { ...attributes, id: attributes['id'] ?? id },
  };
}

/** Listing the keys of a long string or array would take too long. */
function readRecord(properties: unknown): Readonly<Record<string, unknown>> {
  return typeof properties === 'object' && !Array.isArray(properties) ? Object(properties) : {};
}
