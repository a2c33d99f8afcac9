import { isJsonObject } from '../json/json-object.ts';
import type { MultiPolygonRings, Position, Ring } from './polygon.ts';
import { formatValue, type GeometryProblem, geometryProblem } from './problem.ts';

interface Positions {
  readonly kind: 'positions';
  readonly polygon: MultiPolygonRings;
}

/** RFC 7946 section 3.1.6: "a linear ring is a closed LineString with four or more positions". */
const MIN_RING_POSITIONS = 4;

/** Checks shape, count, range and closure of the coordinate arrays. `findInvalidity` checks the topology. */
export function parsePositions(
  polygons: readonly unknown[],
  type: 'Polygon' | 'MultiPolygon',
  maxVertices: number,
): Positions | GeometryProblem {
  const parsed: Ring[][] = [];
  let ringIndex = 0;
  let vertexCount = 0;
  for (const [p, polygon] of polygons.entries()) {
    const path = type === 'Polygon' ? 'coordinates' : `coordinates[${p}]`;
    if (!Array.isArray(polygon) || polygon.length === 0) {
      return geometryProblem(
        'geometry_malformed',
        `${path} must be an array of at least one ring (the outer ring, then its holes); got ${formatValue(polygon)}.`,
      );
    }
    const rings: Ring[] = [];
    for (const [r, candidate] of polygon.entries()) {
      // Counted before the positions are read, so that rejecting a huge request is cheap.
      if (Array.isArray(candidate)) vertexCount += Math.max(candidate.length - 1, 0);
      if (vertexCount > maxVertices) return tooManyVerticesProblem(polygons, maxVertices);
      const ring = parseRing(candidate, ringIndex, `${path}[${r}]`);
      if ('kind' in ring) return ring;
      rings.push(ring);
      ringIndex += 1;
    }
    parsed.push(rings);
  }
  return { kind: 'positions', polygon: parsed };
}

function parseRing(value: unknown, ring: number, path: string): Ring | GeometryProblem {
  if (!Array.isArray(value) || value.length < MIN_RING_POSITIONS) {
    return geometryProblem(
      'geometry_malformed',
      `${path} must be an array of at least ${MIN_RING_POSITIONS} positions, the last repeating the first; got ${formatValue(value)}.`,
    );
  }
  if (value.every(isPosition)) return findOpenEnd(value, ring) ?? value;
  const positions: Position[] = [];
  for (const [vertex, candidate] of value.entries()) {
    const position = parsePosition(candidate, ring, vertex, path);
    if ('kind' in position) return position;
    positions.push(position);
  }
  return findOpenEnd(positions, ring) ?? positions;
}

function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && value.length === 2 && isInRange(value[0], value[1]);
}

function isInRange(lon: unknown, lat: unknown): boolean {
  return (
    typeof lon === 'number' &&
    typeof lat === 'number' &&
    Math.abs(lon) <= 180 &&
    Math.abs(lat) <= 90
  );
}

/** Ignores scalars after longitude and latitude, but rejects arrays and objects. */
function parsePosition(
  value: unknown,
  ring: number,
  vertex: number,
  ringPath: string,
): Position | GeometryProblem {
  const position: readonly unknown[] = Array.isArray(value) ? value : [];
  const [lon, lat] = position;
  if (typeof lon !== 'number' || typeof lat !== 'number') {
    const got =
      position.length > 1 ? `[${formatValue(lon)}, ${formatValue(lat)}]` : formatValue(value);
    return geometryProblem(
      'geometry_malformed',
      `${ringPath}[${vertex}] must be an array of two numbers: [longitude, latitude]; got ${got}.`,
    );
  }
  const container = position.find((part) => typeof part === 'object' && part !== null);
  if (container !== undefined) {
    return geometryProblem(
      'geometry_malformed',
      `${ringPath}[${vertex}] must contain only numbers, but contains ${formatValue(container)}.`,
    );
  }
  if (isInRange(lon, lat)) return [lon, lat];
  return geometryProblem(
    'coordinates_out_of_range',
    `A corner of the outline is [${lon}, ${lat}] (${ringPath}[${vertex}]); longitude must be within ±180 and latitude within ±90 degrees (WGS84).${explainRange(lon, lat)}`,
    { ring, vertex, lon, lat },
  );
}

function explainRange(lon: number, lat: number): string {
  if (Math.abs(lon) <= 90 && Math.abs(lat) <= 180) {
    return ' Latitude and longitude seem to be swapped: GeoJSON puts longitude first.';
  }
  if (Math.abs(lon) > 360 || Math.abs(lat) > 360) {
    return ' The coordinates seem to be projected (metres or feet): transform them to WGS84 (EPSG:4326) first.';
  }
  if (Math.abs(lat) <= 90) {
    return ` Beyond ±180 longitudes wrap: write ${lon} as ${Number((lon - 360 * Math.sign(lon)).toFixed(7))}, and split a polygon that crosses the antimeridian into a MultiPolygon (RFC 7946, section 3.1.9).`;
  }
  return '';
}

function findOpenEnd(ring: Ring, index: number): GeometryProblem | null {
  const first = ring[0];
  const last = ring.at(-1);
  if (first === undefined || last === undefined) return null;
  if (first[0] === last[0] && first[1] === last[1]) return null;
  const vertex = ring.length - 1;
  return geometryProblem(
    'ring_not_closed',
    `The outline is not closed: it starts at [${first.join(', ')}] and ends at [${last.join(', ')}]. Make the last position equal to the first.`,
    { ring: index, vertex, lon: last[0], lat: last[1] },
  );
}

function tooManyVerticesProblem(
  polygons: readonly unknown[],
  maxVertices: number,
): GeometryProblem {
  return geometryProblem(
    'too_many_vertices',
    `The outline has ${countVerticesIn(polygons)} corners; at most ${maxVertices} are allowed. Simplify it, or split it into several jobs.`,
  );
}

/**
 * Counts the positions of a GeoJSON value, except the last of each ring, without reading them.
 * Returns 0 for a value that is not a polygon.
 */
export function countVertices(value: unknown): number {
  if (!isJsonObject(value)) return 0;
  const geometry = value['type'] === 'Feature' ? value['geometry'] : value;
  if (!isJsonObject(geometry)) return 0;
  const { type, coordinates } = geometry;
  if (type === 'Polygon') return countVerticesIn([coordinates]);
  return type === 'MultiPolygon' && Array.isArray(coordinates) ? countVerticesIn(coordinates) : 0;
}

function countVerticesIn(polygons: readonly unknown[]): number {
  let vertices = 0;
  for (const rings of polygons) {
    if (!Array.isArray(rings)) continue;
    for (const ring of rings) if (Array.isArray(ring)) vertices += Math.max(ring.length - 1, 0);
  }
  return vertices;
}
