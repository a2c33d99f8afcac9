import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { MAX_VERTICES, type MultiPolygonRings } from './polygon.ts';
import { parsePositions } from './positions.ts';
import { formatValue, type GeometryProblem, geometryProblem } from './problem.ts';
import { findInvalidity } from './validity.ts';

export interface ParsedPolygon {
  readonly kind: 'polygon';
  /** WGS84 degrees; winding as in the request. */
  readonly polygon: MultiPolygonRings;
}

/** Parses like {@link parseGeoJsonPolygon}, and also requires a valid polygon by the OGC rules. */
export function parseJobPolygon(value: unknown): ParsedPolygon | GeometryProblem {
  const parsed = parseGeoJsonPolygon(value);
  if (parsed.kind === 'problem') return parsed;
  return findInvalidity(parsed.polygon) ?? parsed;
}

/**
 * Parses a GeoJSON Polygon or MultiPolygon (RFC 7946), or a Feature with one. Ignores `bbox`,
 * unknown fields, and scalars after longitude and latitude. Accepts either winding. Does not check
 * the topology: rings may cross.
 */
export function parseGeoJsonPolygon(value: unknown): ParsedPolygon | GeometryProblem {
  if (!isJsonObject(value)) {
    return geometryProblem(
      'geometry_malformed',
      `The polygon must be a GeoJSON object; got ${formatValue(value)}.`,
    );
  }
  const crs = findUnsupportedCrs(value);
  if (crs !== null) return crs;
  if (value['type'] !== 'Feature') return parseGeometry(value);

  const geometry = value['geometry'];
  if (!isJsonObject(geometry)) {
    return geometryProblem(
      'geometry_malformed',
      `The Feature's geometry must be a Polygon or MultiPolygon; got ${formatValue(geometry)}.`,
    );
  }
  return findUnsupportedCrs(geometry) ?? parseGeometry(geometry);
}

function parseGeometry(geometry: JsonObject): ParsedPolygon | GeometryProblem {
  const type = geometry['type'];
  const coordinates = geometry['coordinates'];
  switch (type) {
    case 'Polygon':
      return parseCoordinates([coordinates], 'Polygon');
    case 'MultiPolygon':
      if (!Array.isArray(coordinates) || coordinates.length === 0) {
        return geometryProblem(
          'geometry_malformed',
          `The MultiPolygon's coordinates must be an array of at least one polygon; got ${formatValue(coordinates)}.`,
        );
      }
      return parseCoordinates(coordinates, 'MultiPolygon');
    case 'FeatureCollection':
      return geometryProblem(
        'geometry_type_not_supported',
        `${describeCollection(geometry['features'])} is not supported: send one job per Feature, each with its Feature as \`polygon\`.`,
      );
    default:
      return geometryProblem(
        'geometry_type_not_supported',
        `${describeType(type)} is not supported: send a GeoJSON Polygon or MultiPolygon (or a Feature with one).`,
      );
  }
}

function parseCoordinates(
  polygons: readonly unknown[],
  type: 'Polygon' | 'MultiPolygon',
): ParsedPolygon | GeometryProblem {
  const parsed = parsePositions(polygons, type, MAX_VERTICES);
  return parsed.kind === 'problem' ? parsed : { kind: 'polygon', polygon: parsed.polygon };
}

function describeCollection(features: unknown): string {
  return Array.isArray(features)
    ? `A FeatureCollection (of ${features.length})`
    : 'A FeatureCollection';
}

function describeType(type: unknown): string {
  if (type === undefined) return 'A polygon without a "type"';
  if (typeof type !== 'string') return 'A "type" that is not a string';
  return `Type ${JSON.stringify(type.slice(0, 40))}`;
}

/**
 * Names of WGS84 longitude and latitude in the `crs` field of GeoJSON 2008, which RFC 7946 (section
 * 4) removed.
 */
const WGS84_NAME = /^(?:urn:(?:x-)?ogc:def:crs:)?(?:OGC:[\d.]*:?CRS84|EPSG:[\d.]*:?4326)$/i;
const WGS84_URL =
  /^https?:\/\/www\.opengis\.net\/def\/crs\/(?:OGC\/[\d.]+\/CRS84|EPSG\/[\d.]+\/4326)$/i;

/** The error for a `crs` field that does not name WGS84; null if the field is absent, null or names WGS84. */
function findUnsupportedCrs(holder: JsonObject): GeometryProblem | null {
  const crs = holder['crs'];
  if (crs === undefined || crs === null) return null;
  const name = readCrsName(crs);
  if (name !== null && (WGS84_NAME.test(name) || WGS84_URL.test(name))) return null;
  const found = name === null ? 'has no name' : `names ${JSON.stringify(name.slice(0, 80))}`;
  return geometryProblem(
    'crs_not_supported',
    `The polygon's field "crs" ${found}; only WGS84 longitude and latitude (OGC:CRS84, EPSG:4326) is supported. Transform the coordinates to WGS84 and omit "crs" (RFC 7946, section 4).`,
  );
}

function readCrsName(crs: unknown): string | null {
  if (typeof crs === 'string') return crs;
  const properties = isJsonObject(crs) ? crs['properties'] : undefined;
  const name = isJsonObject(properties) ? properties['name'] : undefined;
  return typeof name === 'string' ? name : null;
}
