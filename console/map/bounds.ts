import type { Polygonal } from '../fields/field.ts';
import type { Bounds } from './projections.ts';

/** The bounds of polygons; null without any vertex. */
export function boundsOf(polygons: readonly Polygonal[]): Bounds | null {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const polygon of polygons) {
    for (const [lon = Number.NaN, lat = Number.NaN] of verticesOf(polygon)) {
      west = Math.min(west, lon);
      south = Math.min(south, lat);
      east = Math.max(east, lon);
      north = Math.max(north, lat);
    }
  }
  return west <= east && south <= north ? [west, south, east, north] : null;
}

export function verticesOf(polygon: Polygonal): readonly (readonly number[])[] {
  return polygon.type === 'Polygon' ? polygon.coordinates.flat() : polygon.coordinates.flat(2);
}
