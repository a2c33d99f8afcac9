import type { MultiPolygonRings } from './polygon.ts';

/** RFC 7946, sections 3.1.6 and 3.1.7. */
export function toGeoJsonGeometry(polygon: MultiPolygonRings) {
  const [only] = polygon;
  return polygon.length === 1 && only !== undefined
    ? { type: 'Polygon', coordinates: only }
    : { type: 'MultiPolygon', coordinates: polygon };
}

/** RFC 7946, section 5: west, south, east, north. */
export function toGeoJsonBox(polygon: MultiPolygonRings): readonly number[] {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of polygon.flat(2)) {
    box[0] = Math.min(box[0] ?? x, x);
    box[1] = Math.min(box[1] ?? y, y);
    box[2] = Math.max(box[2] ?? x, x);
    box[3] = Math.max(box[3] ?? y, y);
  }
  return box;
}
