import { TEXTS } from '../texts.ts';
import { FileRefused } from './file-refused.ts';
import { fieldsAmong, nameOf, type ReadFile } from './read-fields.ts';

/** Names of WGS 84 in the `crs` of GeoJSON before RFC 7946, which other files may use for other systems. */
const WGS84 = /(CRS84|EPSG:{1,2}4326)$/i;

/** @throws FileRefused */
export function readGeoJson(fileName: string, text: string): ReadFile {
  const document = parsed(fileName, text);
  const crs = Object(Object(Object(document)['crs'])['properties'])['name'];
  if (crs !== undefined && !WGS84.test(String(crs))) {
    throw new FileRefused(TEXTS.file.otherCrs(fileName, String(crs)));
  }
  return fieldsAmong(featuresOf(document).map(candidateOf));
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

function candidateOf(feature: object) {
  const { type, geometry, properties, id }: Record<string, unknown> = Object(feature);
  if (type !== 'Feature') return { name: null, geometry: feature };
  return { name: nameOf(recordOf(properties), id), geometry };
}

/** To list the keys of a long text or array would take minutes. */
function recordOf(properties: unknown): Readonly<Record<string, unknown>> {
  return typeof properties === 'object' && !Array.isArray(properties) ? Object(properties) : {};
}
