/** Clients get the codes and messages as they are. */
export const GEOMETRY_ERROR_CODES = [
  'geometry_malformed',
  'geometry_type_not_supported',
  'crs_not_supported',
  'coordinates_out_of_range',
  'ring_not_closed',
  'too_many_vertices',
  'geometry_self_intersection',
  'geometry_rings_cross',
  'geometry_hole_outside_shell',
  'geometry_rings_overlap',
  'geometry_interior_cut',
] as const;

export type GeometryErrorCode = (typeof GEOMETRY_ERROR_CODES)[number];

/** Ring (over the whole geometry) and vertex are counted from 0. */
export interface GeometryLocation {
  readonly ring: number;
  readonly vertex: number;
  readonly lon: number;
  readonly lat: number;
}

export interface GeometryProblem {
  readonly kind: 'problem';
  readonly code: GeometryErrorCode;
  readonly message: string;
  readonly location: GeometryLocation | null;
}

export function geometryProblem(
  code: GeometryErrorCode,
  message: string,
  location: GeometryLocation | null = null,
): GeometryProblem {
  return { kind: 'problem', code, message, location: location && toStorableLocation(location) };
}

/**
 * Returns null for a location with a coordinate beyond 2⁵³, and replaces traces such as 1e-130 by 0, because not
 * every JSON reader or store keeps such numbers.
 */
function toStorableLocation({ lon, lat, ...place }: GeometryLocation): GeometryLocation | null {
  if (Math.max(Math.abs(lon), Math.abs(lat)) > Number.MAX_SAFE_INTEGER) return null;
  return { ...place, lon: dropTraces(lon), lat: dropTraces(lat) };
}

function dropTraces(degree: number): number {
  return Number(degree.toFixed(20));
}

/** At most 5 decimals of a degree, about a metre: `50.97875 N, 5.74225 E`. */
export function formatPlace(lon: number, lat: number): string {
  return `${formatDegrees(lat, 'N', 'S')}, ${formatDegrees(lon, 'E', 'W')}`;
}

function formatDegrees(value: number, positive: string, negative: string): string {
  return `${Number(Math.abs(value).toFixed(5))} ${value < 0 ? negative : positive}`;
}

const MAX_SHOWN = 40;

/** Shows a short string, a number, a boolean or null, and otherwise names the type. */
export function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') {
    return value.length <= MAX_SHOWN
      ? JSON.stringify(value)
      : `a string of ${value.length} characters`;
  }
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty array' : `an array of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
