import type { FieldGeometry, Position, Rings } from '../fields/field-collection.ts';

/** WGS 84 (NGA.STND.0036). */
const SEMI_MAJOR = 6_378_137;
const FLATTENING = 1 / 298.257223563;
const ECCENTRICITY = Math.sqrt(FLATTENING * (2 - FLATTENING));

const RADIANS = Math.PI / 180;
const SQUARE_METRES_PER_HECTARE = 10_000;

/** Nodes and weights of three-point Gauss quadrature (Abramowitz and Stegun 1964, table 25.4). */
const NODES = [
  [0.5 - Math.sqrt(0.15), 5 / 18],
  [0.5, 8 / 18],
  [0.5 + Math.sqrt(0.15), 5 / 18],
] as const;

/** Hectares on the ellipsoid without the holes, as the service measures fields; of one that failed it tells none. */
export function fieldHectares(geometry: FieldGeometry): number {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  return polygons.reduce((sum, rings) => sum + polygonArea(rings), 0) / SQUARE_METRES_PER_HECTARE;
}

function polygonArea([shell = [], ...holes]: Rings): number {
  return holes.reduce((area, hole) => area - ringArea(hole), ringArea(shell));
}

/** Green's theorem: the signed areas between each edge, straight in degrees, and the equator. */
function ringArea(ring: readonly Position[]): number {
  let area = 0;
  let from = ring[0];
  for (const to of ring) {
    if (from === undefined) break;
    const [latitude, climb] = [from[1], to[1] - from[1]];
    for (const [fraction, weight] of NODES) {
      area += weight * (to[0] - from[0]) * RADIANS * zone((latitude + fraction * climb) * RADIANS);
    }
    from = to;
  }
  return Math.abs(area);
}

/** Square metres from the equator to a latitude, over one radian of longitude (Snyder 1987, equation 3-12). */
function zone(latitude: number): number {
  const sine = Math.sin(latitude);
  const narrowing = 1 - (ECCENTRICITY * sine) ** 2;
  const semiMinor2 = SEMI_MAJOR ** 2 * (1 - ECCENTRICITY ** 2);
  return (semiMinor2 / 2) * (sine / narrowing + Math.atanh(ECCENTRICITY * sine) / ECCENTRICITY);
}
