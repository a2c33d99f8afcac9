import type { MultiPolygonRings, Position } from './polygon.ts';
import { ECCENTRICITY_2, RADIANS_PER_DEGREE, SEMI_MAJOR } from './wgs84.ts';

/**
 * Nodes and weights of three-point Gauss quadrature (Abramowitz and Stegun, 1964, table 25.4). The
 * error is below 0.3 % for an edge from pole to pole, and a millionth for a typical edge of a job.
 */
const NODES: readonly (readonly [fraction: number, weight: number])[] = [
  [0.5 - Math.sqrt(0.15), 5 / 18],
  [0.5, 8 / 18],
  [0.5 + Math.sqrt(0.15), 5 / 18],
];

/**
 * The length of all rings on the WGS84 ellipsoid, holes included, in metres. Edges are straight in
 * longitude and latitude, as for the area.
 */
export function ellipsoidalPerimeter(polygon: MultiPolygonRings): number {
  let metres = 0;
  for (const ring of polygon.flat()) {
    let from = ring[0];
    for (const to of ring) {
      if (from !== undefined) metres += edgeLength(from, to);
      from = to;
    }
  }
  return metres;
}

/**
 * ∫ √((M dφ)² + (N cos φ dλ)²) along the edge, with the ellipsoid's radii of curvature
 * M = a (1 − e²) / (1 − e² sin² φ)^3/2 and N = a / √(1 − e² sin² φ) (Snyder, Map Projections, USGS
 * PP 1395 (1987), eq. 4-18 and 4-20).
 */
function edgeLength(from: Position, to: Position): number {
  const eastward = (to[0] - from[0]) * RADIANS_PER_DEGREE;
  const northward = (to[1] - from[1]) * RADIANS_PER_DEGREE;
  let length = 0;
  for (const [fraction, weight] of NODES) {
    const latitude = from[1] * RADIANS_PER_DEGREE + fraction * northward;
    const narrowing = 1 - ECCENTRICITY_2 * Math.sin(latitude) ** 2;
    const normal = SEMI_MAJOR / Math.sqrt(narrowing);
    const meridian = (normal * (1 - ECCENTRICITY_2)) / narrowing;
    const [north, east] = [meridian * northward, normal * Math.cos(latitude) * eastward];
    length += weight * Math.sqrt(north * north + east * east);
  }
  return length;
}
