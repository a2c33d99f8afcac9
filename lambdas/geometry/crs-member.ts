import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { type GeometryProblem, problem } from './problem.ts';

/**
 * The names GeoJSON 2008 files give to WGS84 longitude and latitude. RFC 7946 (section 4) took the
 * member away; files with it are still common, and harmless when they say what the RFC prescribes.
 */
const WGS84_NAME = /^(?:urn:(?:x-)?ogc:def:crs:)?(?:OGC:[\d.]*:?CRS84|EPSG:[\d.]*:?4326)$/i;
const WGS84_ADDRESS =
  /^https?:\/\/www\.opengis\.net\/def\/crs\/(?:OGC\/[\d.]+\/CRS84|EPSG\/[\d.]+\/4326)$/i;

/** What is wrong with the legacy `crs` member, or null when there is none or it says WGS84. */
export function unsupportedCrs(holder: JsonObject): GeometryProblem | null {
  const crs = holder['crs'];
  if (crs === undefined || crs === null) return null;
  const name = crsName(crs);
  if (name !== null && (WGS84_NAME.test(name) || WGS84_ADDRESS.test(name))) return null;
  const which = name === null ? 'a crs member that names none' : JSON.stringify(name.slice(0, 80));
  return problem(
    'crs_not_supported',
    `The polygon's coordinates are in ${which}; only WGS84 longitude and latitude (OGC:CRS84, EPSG:4326) is supported. Transform the polygon first, and leave "crs" out (RFC 7946).`,
  );
}

function crsName(crs: unknown): string | null {
  if (typeof crs === 'string') return crs;
  const properties = isJsonObject(crs) ? crs['properties'] : undefined;
  const name = isJsonObject(properties) ? properties['name'] : undefined;
  return typeof name === 'string' ? name : null;
}
