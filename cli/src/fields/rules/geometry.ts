/** The geometry of a field. */
export const POLYGONS: readonly string[] = ['Polygon', 'MultiPolygon'];

const WITHOUT = 'without geometry';

/** Kinds of a feature whose geometry is missing: among fields it is a field, whose job fails. */
export const EMPTY: readonly string[] = [WITHOUT, ...POLYGONS.map((type) => `empty ${type}`)];

export function isEmpty(geometry: unknown): boolean {
  return EMPTY.includes(geometryKind(geometry));
}

/** The type of a GeoJSON geometry, or what is missing from it. */
export function geometryKind(geometry: unknown): string {
  if (geometry === null || geometry === undefined) return WITHOUT;
  if (typeof geometry !== 'object' || !('type' in geometry)) return 'without geometry type';
  const { type } = geometry;
  if (typeof type !== 'string') return 'without geometry type';
  if (!('coordinates' in geometry)) return type === 'GeometryCollection' ? type : `empty ${type}`;
  return Array.isArray(geometry.coordinates) && geometry.coordinates.length === 0
    ? `empty ${type}`
    : type;
}
