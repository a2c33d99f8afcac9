import { isJsonObject } from '../json/json-object.ts';

/**
 * Counts the vertices of `jobs[i].polygon` before it is parsed: all positions but the one that closes
 * each ring. Reads only the lengths of the rings, so that a limit can be checked before any polygon is
 * validated. Returns 0 for a value that is no polygon.
 */
export function verticesOf(value: unknown): number {
  if (!isJsonObject(value)) return 0;
  const geometry = value['type'] === 'Feature' ? value['geometry'] : value;
  if (!isJsonObject(geometry)) return 0;
  const { type, coordinates } = geometry;
  if (type === 'Polygon') return verticesIn([coordinates]);
  return type === 'MultiPolygon' && Array.isArray(coordinates) ? verticesIn(coordinates) : 0;
}

/** Counts the vertices in the coordinates of a MultiPolygon. */
export function verticesIn(polygons: readonly unknown[]): number {
  let vertices = 0;
  for (const rings of polygons) {
    if (!Array.isArray(rings)) continue;
    for (const ring of rings) if (Array.isArray(ring)) vertices += Math.max(ring.length - 1, 0);
  }
  return vertices;
}
