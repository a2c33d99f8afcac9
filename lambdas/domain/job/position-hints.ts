import type { MultiPolygonRings, PolygonRings } from '../../geometry/polygon.ts';
import { coverOfAll } from './coverage.ts';

/** How positions are given, and whether the polygon would meet one of the coverages the other way. */
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
 * What to say of a ring that spans more than half the globe: edges are straight lines in degrees,
 * so one that means to go over ±180° goes round the other way. Empty for any other polygon.
 */
export function antimeridianHint(polygon: MultiPolygonRings): string {
  const around = polygon.flat().some((ring) => {
    const longitudes = ring.map(([lon]) => lon);
    return Math.max(...longitudes) - Math.min(...longitudes) > 180;
  });
  return around
    ? ' It seems to cross the antimeridian: cut it there into a MultiPolygon (RFC 7946, section 3.1.9).'
    : '';
}
