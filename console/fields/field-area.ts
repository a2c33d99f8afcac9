import type { Polygonal } from './field.ts';

/** The ellipsoid of WGS 84 (NGA.STND.0036). */
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

type Position = readonly number[];

/** The area on the ellipsoid, without the holes. The page shows it before the service has measured the field. */
export function fieldHectares({ type, coordinates }: Polygonal): number {
  const polygons = type === 'Polygon' ? [coordinates] : coordinates;
  const squareMetres = polygons.reduce((sum, rings) => sum + computePolygonArea(rings), 0);
  return Math.max(squareMetres, 0) / SQUARE_METRES_PER_HECTARE;
}

function computePolygonArea([shell = [], ...holes]: readonly (readonly Position[])[]): number {
  return holes.reduce((area, hole) => area - computeRingArea(hole), computeRingArea(shell));
}

/** Sums the signed areas between the equator and each edge, which is straight in degrees (Green's theorem). */
function computeRingArea(ring: readonly Position[]): number {
  let area = 0;
  let [fromLon = Number.NaN, fromLat = Number.NaN] = ring[0] ?? [];
  for (const [lon = Number.NaN, lat = Number.NaN] of ring) {
    const climb = lat - fromLat;
    for (const [fraction, weight] of NODES) {
      area +=
        weight * (lon - fromLon) * RADIANS * computeZone((fromLat + fraction * climb) * RADIANS);
    }
    [fromLon, fromLat] = [lon, lat];
  }
  return Math.abs(area);
}

/** Square metres from the equator to a latitude, over one radian of longitude (Snyder 1987, equation 3-12). */
function computeZone(latitude: number): number {
  const sine = Math.sin(latitude);
  const narrowing = 1 - (ECCENTRICITY * sine) ** 2;
  const semiMinor2 = SEMI_MAJOR ** 2 * (1 - ECCENTRICITY ** 2);
  return (semiMinor2 / 2) * (sine / narrowing + Math.atanh(ECCENTRICITY * sine) / ECCENTRICITY);
}
