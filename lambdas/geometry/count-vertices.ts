import { isJsonObject } from '../json/json-object.ts';

/**
 * Vertices of `jobs[i].polygon` as sent, unchecked: positions, less the one that closes each ring.
 * Looks only at the lengths of rings, so that a limit can stand before any polygon is judged. What is
 * no polygon has none: it is refused before a position of it is read.
 */
export function verticesOf(value: unknown): number {
  if (!isJsonObject(value)) return 0;
  const geometry = value['type'] === 'Feature' ? value['geometry'] : value;
  if (!isJsonObject(geometry)) return 0;
  const { type, coordinates } = geometry;
  if (type === 'Polygon') return verticesIn([coordinates]);
  return type === 'MultiPolygon' && Array.isArray(coordinates) ? verticesIn(coordinates) : 0;
}

/** The same of the coordinates of a MultiPolygon. */
export function verticesIn(polygons: readonly unknown[]): number {
  let vertices = 0;
  for (const rings of polygons) {
    if (!Array.isArray(rings)) continue;
    for (const ring of rings) if (Array.isArray(ring)) vertices += Math.max(ring.length - 1, 0);
  }
  return vertices;
}
