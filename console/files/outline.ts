import type { Polygonal } from '../fields/field.ts';

type OtherKind = 'point' | 'line' | 'closed_line' | 'collection' | 'other';

export interface LeftOutFeature {
  /** The first row is 1. */
  readonly row: number;
  readonly name: string | null;
  readonly kind: OtherKind;
}

/** The area of a feature as GeoJSON, unchecked: the service validates it. */
export interface Area {
  readonly type: 'Polygon' | 'MultiPolygon';
  readonly coordinates: unknown;
}

export type Outline =
  | { readonly kind: 'area'; readonly area: Area; readonly hasOthers: boolean }
  | { readonly kind: 'none' }
  | { readonly kind: OtherKind };

type Part = { readonly type: unknown; readonly coordinates: unknown };

/** Finds the polygons in a geometry, in nested collections too. It skips points and lines. */
export function outlineOf(geometry: unknown): Outline {
  if (geometry === null || geometry === undefined) return { kind: 'none' };
  const parts = listParts(geometry);
  const areas = parts.filter(isArea);
  const filled = areas.filter(({ coordinates }) => !isEmpty(coordinates));
  const [first, ...more] = filled;
  if (first !== undefined) {
    const { type, coordinates } = first;
    const area: Area =
      more.length === 0
        ? { type, coordinates }
        : { type: 'MultiPolygon', coordinates: filled.flatMap(listPolygons) };
    return { kind: 'area', area, hasOthers: parts.length > areas.length };
  }
  const [part, ...others] = parts;
  if (part === undefined || areas.length > 0) return { kind: 'none' };
  return { kind: others.length === 0 ? classifyPart(part) : 'collection' };
}

/** An empty point has no position. */
export function listPlaces(geometry: unknown): readonly (readonly number[])[] {
  return listParts(geometry)
    .filter((part) => classifyPart(part) === 'point')
    .flatMap(({ coordinates }) => listPositions(coordinates))
    .filter(([x, y]) => !(Number.isNaN(x) && Number.isNaN(y)));
}

function listPositions(value: unknown): readonly (readonly number[])[] {
  if (!Array.isArray(value)) return [];
  return value.length > 1 && isNumbers(value) ? [value] : value.flatMap(listPositions);
}

function listParts(geometry: unknown): readonly Part[] {
  const { type, geometries, coordinates } = Object(geometry);
  if (type !== 'GeometryCollection' || !Array.isArray(geometries)) return [{ type, coordinates }];
  return geometries.flatMap(listParts);
}

function isArea(part: Part): part is Area {
  return part.type === 'Polygon' || part.type === 'MultiPolygon';
}

function isEmpty(coordinates: unknown): boolean {
  return coordinates === undefined || (Array.isArray(coordinates) && coordinates.length === 0);
}

function listPolygons({ type, coordinates }: Area): readonly unknown[] {
  return type === 'MultiPolygon' && Array.isArray(coordinates) ? coordinates : [coordinates];
}

const KINDS: Readonly<Record<string, OtherKind>> = {
  Point: 'point',
  MultiPoint: 'point',
  LinearRing: 'closed_line',
  MultiLineString: 'line',
};

function classifyPart({ type, coordinates }: Part): OtherKind {
  if (type === 'LineString') return isClosed(coordinates) ? 'closed_line' : 'line';
  return KINDS[String(type)] ?? 'other';
}

function isClosed(line: unknown): boolean {
  if (!Array.isArray(line) || line.length < 4) return false;
  return [0, 1].every((axis) => line[0]?.[axis] === line.at(-1)?.[axis]);
}

/** Whether an area has lists of numbers where GeoJSON requires them, whatever the numbers. */
export function isListed(area: {
  readonly type: unknown;
  readonly coordinates: unknown;
}): area is Polygonal {
  if (area.type === 'Polygon') return isNested(2, area.coordinates, isNumbers);
  return area.type === 'MultiPolygon' && isNested(3, area.coordinates, isNumbers);
}

/**
 * Whether the map can draw a geometry: a polygon whose positions are in degrees. The service checks everything else and
 * explains what is wrong.
 */
export function isPolygonal(geometry: unknown): geometry is Polygonal {
  const { type, coordinates } = Object(geometry);
  if (type === 'Polygon') return isNested(2, coordinates, isInDegrees);
  return type === 'MultiPolygon' && isNested(3, coordinates, isInDegrees);
}

function isNested(depth: number, value: unknown, isPosition: (value: unknown) => boolean): boolean {
  if (depth === 0) return isPosition(value);
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((inner) => isNested(depth - 1, inner, isPosition));
}

function isNumbers(position: unknown): position is readonly number[] {
  return Array.isArray(position) && position.every((one) => typeof one === 'number');
}

/** Drawn outlines may go past the antimeridian. */
export function isInDegrees(position: unknown): boolean {
  if (!Array.isArray(position)) return false;
  const [x, y] = position;
  return typeof x === 'number' && typeof y === 'number' && Math.abs(x) <= 360 && Math.abs(y) <= 360;
}
