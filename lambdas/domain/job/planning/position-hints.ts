import type { MultiPolygonRings, PolygonRings } from '#engine/geometry/polygon.ts';
import { coverOfAll } from './coverage.ts';

/** States the order of coordinates, and whether the polygon would be in a coverage if they were swapped. */
export function coordinateOrderHint(
  polygon: MultiPolygonRings,
  coverages: readonly PolygonRings[],
): string {
  const order = 'Positions are [longitude, latitude] in degrees';
  const turned = polygon.map((rings) =>
    rings.map((ring) => ring.map(([lon, lat]) => [lat, lon] as const)),
  );
  const fits = coverOfAll(turned, coverages) !== 'apart';
  return fits ? `${order}: it would fit with longitude first.` : `${order}.`;
}

/**
 * A hint for a ring that spans more than half the globe: edges are straight lines in degrees, so a ring
 * meant to cross ±180° goes the other way round. Empty for any other polygon.
 */
export function antimeridianHint(polygon: MultiPolygonRings): string {
  const around = polygon.flat().some((ring) => {
    const longitudes = ring.map(([lon]) => lon);
    return Math.max(...longitudes) - Math.min(...longitudes) > 180;
  });
  return around
    ? ' It seems to cross the antimeridian: split it there into a MultiPolygon (RFC 7946, section 3.1.9).'
    : '';
}
