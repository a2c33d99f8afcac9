import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { type GeometryProblem, problem } from './problem.ts';

/**
 * Names of WGS84 longitude and latitude in the `crs` field of GeoJSON 2008. RFC 7946 (section 4)
 * removed the field. Files that have it are still common; they are accepted if it names WGS84.
 */
const WGS84_NAME = /^(?:urn:(?:x-)?ogc:def:crs:)?(?:OGC:[\d.]*:?CRS84|EPSG:[\d.]*:?4326)$/i;
const WGS84_URL =
  /^https?:\/\/www\.opengis\.net\/def\/crs\/(?:OGC\/[\d.]+\/CRS84|EPSG\/[\d.]+\/4326)$/i;

/** The error for a `crs` field that does not name WGS84; null without the field or with WGS84. */
export function unsupportedCrs(holder: JsonObject): GeometryProblem | null {
  const crs = holder['crs'];
  if (crs === undefined || crs === null) return null;
  const name = crsName(crs);
  if (name !== null && (WGS84_NAME.test(name) || WGS84_URL.test(name))) return null;
  const found = name === null ? 'has no name' : `names ${JSON.stringify(name.slice(0, 80))}`;
  return problem(
    'crs_not_supported',
    `The polygon's field "crs" ${found}; only WGS84 longitude and latitude (OGC:CRS84, EPSG:4326) is supported. Transform the coordinates to WGS84 and omit "crs" (RFC 7946, section 4).`,
  );
}

function crsName(crs: unknown): string | null {
  if (typeof crs === 'string') return crs;
  const properties = isJsonObject(crs) ? crs['properties'] : undefined;
  const name = isJsonObject(properties) ? properties['name'] : undefined;
  return typeof name === 'string' ? name : null;
}
