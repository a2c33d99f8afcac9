/**
 * The part of GeoJSON (RFC 7946) that the client reads. The service validates geometries, and names
 * the ring and vertex of a fault.
 */
export interface Feature {
  readonly type: 'Feature';
  readonly geometry: { readonly type: string } | null;
  readonly properties?: Readonly<Record<string, unknown>> | null;
  readonly id?: string | number;
}

export interface FeatureCollection {
  readonly type: 'FeatureCollection';
  readonly features: readonly Feature[];
}

/** Vertices over all rings of a polygon, or of a Feature of one. */
export function countVertices(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if ('geometry' in value) return countVertices(value.geometry);
  return 'coordinates' in value ? countPositions(value.coordinates) : 0;
}

function countPositions(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  if (typeof value[0] === 'number') return 1;
  return value.reduce((sum: number, one: unknown) => sum + countPositions(one), 0);
}
