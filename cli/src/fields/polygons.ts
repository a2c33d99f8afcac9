import type { Field, FieldGeometry, Position, Rings } from './field-collection.ts';
import { FieldsError } from './fields-error.ts';
import { MAX_FIELDS, tooManyFields } from './limits.ts';
import { EMPTY, geometryKind, isEmpty, POLYGONS } from './rules/geometry.ts';

/** A feature whose geometry has not been checked. */
export interface UncheckedFeature {
  readonly geometry: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface Polygons {
  readonly features: readonly Field[];
  readonly notes: readonly string[];
}

const HAS_HEIGHT = 3;

/**
 * The features as fields. All must be polygons: a file that also has other geometry is rejected as a
 * whole, because leaving features out would be a silent loss. A field without geometry among others with
 * one is a field whose job fails.
 */
export function polygonsOf(file: string, features: readonly UncheckedFeature[]): Polygons {
  if (features.length === 0) throw new FieldsError('no-fields', `${file} contains no fields.`);
  if (features.length > MAX_FIELDS) throw tooManyFields(file, features.length);
  rejectOtherGeometry(file, features);
  const heights = { dropped: false };
  const fields = features.map(({ geometry, properties }, index) => ({
    type: 'Feature' as const,
    geometry: isEmpty(geometry) ? null : fieldGeometry(geometry, { file, index, heights }),
    properties,
  }));
  const notes = heights.dropped
    ? ['Heights (Z) are not used: the fields are two-dimensional.']
    : [];
  return { features: fields, notes };
}

function rejectOtherGeometry(file: string, features: readonly UncheckedFeature[]): void {
  const kinds = new Map<string, { count: number; first: number }>();
  for (const [index, { geometry }] of features.entries()) {
    const kind = geometryKind(geometry);
    const seen = kinds.get(kind) ?? { count: 0, first: index + 1 };
    kinds.set(kind, { ...seen, count: seen.count + 1 });
  }
  const hasPolygons = POLYGONS.filter((kind) => kinds.delete(kind)).length > 0;
  if (hasPolygons) for (const kind of EMPTY) kinds.delete(kind);
  if (kinds.size === 0) return;
  const others = [...kinds].map(([kind, { count, first }]) =>
    count === 1
      ? `1 ${kind} (feature ${first})`
      : `${count} ${kind} (the first is feature ${first})`,
  );
  throw new FieldsError(
    'not-polygons',
    `Every field must be a polygon, but of ${features.length} features ${file} has ${others.join(', ')}.`,
  );
}

interface Place {
  readonly file: string;
  readonly index: number;
  readonly heights: { dropped: boolean };
}

/** `rejectOtherGeometry` has checked the type. */
function fieldGeometry(geometry: unknown, place: Place): FieldGeometry {
  const { type, coordinates } = geometry as { type: string; coordinates: unknown };
  if (type === 'Polygon') return { type, coordinates: rings(coordinates, place) };
  const polygons = array(coordinates, place).map((one) => rings(one, place));
  return { type: 'MultiPolygon', coordinates: polygons };
}

function rings(value: unknown, place: Place): Rings {
  return array(value, place).map((ring) => {
    const positions = array(ring, place).map((position) => lonLat(position, place));
    const crosses = positions.some(
      ([lon], index) => Math.abs(lon - (positions[index - 1]?.[0] ?? lon)) > 180,
    );
    if (!crosses) return positions;
    throw badCoordinates(
      place,
      'crosses the antimeridian: split it there (RFC 7946, section 3.1.9)',
    );
  });
}

function array(value: unknown, place: Place): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw badCoordinates(place, 'has coordinates that are not those of a polygon');
}

function lonLat(value: unknown, place: Place): Position {
  const position = array(value, place);
  const [lon, lat] = position;
  // KML has a height of 0 for each corner.
  if (position.length >= HAS_HEIGHT && position[2] !== 0) place.heights.dropped = true;
  const isPosition = typeof lon === 'number' && typeof lat === 'number';
  if (isPosition && Math.abs(lon) <= 180 && Math.abs(lat) <= 90) return [lon, lat];
  if (isPosition && Number.isNaN(lon)) {
    throw badCoordinates(place, 'lies where its coordinate reference system is not defined');
  }
  const found = JSON.stringify(value).slice(0, 80);
  throw badCoordinates(
    place,
    `has the coordinates ${found}, which are not a longitude and a latitude (WGS 84)`,
  );
}

function badCoordinates({ file, index }: Place, problem: string): FieldsError {
  return new FieldsError('bad-coordinates', `Feature ${index + 1} of ${file} ${problem}.`);
}
