export type Position = readonly [number, number];

/** Closed: the last position repeats the first. Straight edges (RFC 7946 section 3.1.1). */
export type Ring = readonly Position[];

/** One polygon: the outer ring, then its holes. */
export type PolygonRings = readonly Ring[];

/** The coordinates of a GeoJSON MultiPolygon, in WGS84 degrees; a Polygon has one element. */
export type MultiPolygonRings = readonly PolygonRings[];

/** Per job. The position that closes each ring does not count. */
export const MAX_VERTICES = 10_000;
