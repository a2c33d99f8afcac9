import { TEXTS } from '../texts.ts';
import type { Polygonal } from './field.ts';

/** What a file holds, before it is a draft. */
export interface ReadField {
  readonly name: string | null;
  readonly polygon: Polygonal;
}

export interface ReadFile {
  readonly fields: readonly ReadField[];
  /** Features without a polygon. */
  readonly skipped: number;
}

/** A file that can't be used; the message is for the user. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
}

/** Names of WGS 84 in the `crs` of GeoJSON before RFC 7946, which other files may use for other systems. */
const WGS84 = /(CRS84|EPSG:{1,2}4326)$/i;

/** Properties that commonly name a field. */
const NAMES = ['name', 'Name', 'NAME', 'title', 'label', 'id', 'ID', 'fid'];

/** @throws FileRefused */
export function readGeoJson(fileName: string, text: string): ReadFile {
  const document = parsed(fileName, text);
  const crs = Object(Object(Object(document)['crs'])['properties'])['name'];
  if (crs !== undefined && !WGS84.test(String(crs))) {
    throw new FileRefused(TEXTS.file.otherCrs(fileName));
  }
  const features = featuresOf(document);
  const fields = features.flatMap(fieldsOf);
  if (fields.length === 0) throw new FileRefused(TEXTS.file.noFields(fileName));
  return { fields, skipped: features.filter((feature) => fieldsOf(feature).length === 0).length };
}

function parsed(fileName: string, text: string): unknown {
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

function fieldsOf(feature: object): readonly ReadField[] {
  const { type, geometry, properties, id }: Record<string, unknown> = { ...feature };
  const candidate = type === 'Feature' ? geometry : feature;
  if (!isPolygonal(candidate)) return [];
  const { coordinates } = candidate;
  const polygon = { type: candidate.type, coordinates } as Polygonal;
  return [{ name: nameOf(Object(properties), id), polygon }];
}

/** The service judges rings and vertices, and says what is wrong with each. */
function isPolygonal(value: unknown): value is Polygonal {
  const { type, coordinates } = Object(value);
  const isNested = (depth: number, part: unknown): boolean =>
    Array.isArray(part) &&
    part.length > 0 &&
    part.every((inner) => (depth === 0 ? typeof inner === 'number' : isNested(depth - 1, inner)));
  if (type === 'Polygon') return isNested(2, coordinates);
  return type === 'MultiPolygon' && isNested(3, coordinates);
}

function nameOf(properties: Record<string, unknown>, id: unknown): string | null {
  const named = [...NAMES.map((key) => properties[key]), id].find(
    (value) => (typeof value === 'string' && value.trim() !== '') || typeof value === 'number',
  );
  return named === undefined ? null : String(named).slice(0, 255);
}
