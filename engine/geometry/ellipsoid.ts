import type { MultiPolygonRings, Position, Ring } from './polygon.ts';

/** WGS84's semi-major axis in metres, and its flattening (NGA.STND.0036). */
export const SEMI_MAJOR = 6_378_137;
const FLATTENING = 1 / 298.257223563;
export const ECCENTRICITY_2 = FLATTENING * (2 - FLATTENING);

export const RADIANS_PER_DEGREE = Math.PI / 180;

export const SQUARE_METRES_PER_HECTARE = 10_000;

/**
 * Geocentric coordinates in metres of a place on the ellipsoid, given in degrees. `prime` is the radius of curvature
 * in the prime vertical (Snyder 1987, eq. 4-20).
 */
export function toGeocentric([lon, lat]: Position): readonly [number, number, number] {
  const [lambda, phi] = [lon * RADIANS_PER_DEGREE, lat * RADIANS_PER_DEGREE];
  const prime = SEMI_MAJOR / Math.sqrt(1 - ECCENTRICITY_2 * Math.sin(phi) ** 2);
  const fromAxis = prime * Math.cos(phi);
  return [
    fromAxis * Math.cos(lambda),
    fromAxis * Math.sin(lambda),
    prime * (1 - ECCENTRICITY_2) * Math.sin(phi),
  ];
}

const SEMI_MINOR_2 = SEMI_MAJOR ** 2 * (1 - ECCENTRICITY_2);

/** e¹⁴ is 6 · 10⁻¹⁶: further terms are below the precision of a double. */
const TERMS = 7;

/**
 * Coefficients cⱼ, in square metres, of the ellipsoid's area from the equator to latitude φ over one
 * radian of longitude: b² ∫ cos φ / (1 − e² sin² φ)² dφ (Snyder, Map Projections, USGS PP 1395
 * (1987), eq. 3-12). As a series it is b² Σ (k + 1) / (2k + 1) e²ᵏ sin²ᵏ⁺¹ φ. With multiple angles
 * instead of powers it is Σ cⱼ sin (2j + 1) φ.
 */
const ZONE: readonly number[] = Array.from({ length: TERMS }, (_, j) => {
  let sum = 0;
  for (let k = j; k < TERMS; k += 1) {
    const term = ((k + 1) / (2 * k + 1)) * (ECCENTRICITY_2 / 4) ** k;
    sum += term * binomial(2 * k + 1, k - j);
  }
  return (j % 2 === 0 ? 1 : -1) * SEMI_MINOR_2 * sum;
});

/**
 * Area on the WGS84 ellipsoid in hectares, without the holes. Edges of any length are straight in
 * longitude and latitude (RFC 7946 section 3.1.1).
 */
export function computeHectares(polygon: MultiPolygonRings): number {
  let squareMetres = 0;
  for (const [shell, ...holes] of polygon) {
    if (shell === undefined) continue;
    squareMetres += computeRingArea(shell);
    for (const hole of holes) squareMetres -= computeRingArea(hole);
  }
  return Math.max(squareMetres, 0) / SQUARE_METRES_PER_HECTARE;
}

/** Green's theorem: sums the signed areas between each edge and the equator. */
function computeRingArea(ring: Ring): number {
  let area = 0;
  let from = ring[0];
  for (const to of ring) {
    if (from === undefined) break;
    if (to[0] !== from[0])
      area += (to[0] - from[0]) * RADIANS_PER_DEGREE * computeMeanZone(from[1], to[1]);
    from = to;
  }
  return Math.abs(area);
}

/**
 * The mean of the {@link ZONE} series along an edge. The mean of sin mφ between φ₀ and φ₁ is sin
 * m(φ₀ + φ₁)/2 · sin mh / mh, where h = (φ₁ − φ₀)/2. The recurrence sin (m + 2)x = 2 cos 2x · sin
 * mx − sin (m − 2)x saves calls of `Math`.
 */
function computeMeanZone(latitude0: number, latitude1: number): number {
  const middle = ((latitude0 + latitude1) / 2) * RADIANS_PER_DEGREE;
  const half = ((latitude1 - latitude0) / 2) * RADIANS_PER_DEGREE;
  const [middleTurn, halfTurn] = [2 * Math.cos(2 * middle), 2 * Math.cos(2 * half)];
  let [middleSine, halfSine] = [Math.sin(middle), Math.sin(half)];
  let [middleBefore, halfBefore] = [-middleSine, -halfSine];
  let mean = 0;
  for (let j = 0; j < TERMS; j += 1) {
    const sinc = half === 0 ? 1 : halfSine / ((2 * j + 1) * half);
    mean += (ZONE[j] ?? 0) * middleSine * sinc;
    [middleBefore, middleSine] = [middleSine, middleTurn * middleSine - middleBefore];
    [halfBefore, halfSine] = [halfSine, halfTurn * halfSine - halfBefore];
  }
  return mean;
}

function binomial(n: number, k: number): number {
  let product = 1;
  for (let i = 1; i <= k; i += 1) product *= (n - k + i) / i;
  return product;
}

/** Nodes and weights of three-point Gauss quadrature (Abramowitz and Stegun, 1964, table 25.4). */
const NODES: readonly (readonly [fraction: number, weight: number])[] = [
  [0.5 - Math.sqrt(0.15), 5 / 18],
  [0.5, 8 / 18],
  [0.5 + Math.sqrt(0.15), 5 / 18],
];

/** The length of all rings on the WGS84 ellipsoid, holes included, in metres. */
export function computePerimeter(polygon: MultiPolygonRings): number {
  let metres = 0;
  for (const ring of polygon.flat()) {
    let from = ring[0];
    for (const to of ring) {
      if (from !== undefined) metres += computeEdgeLength(from, to);
      from = to;
    }
  }
  return metres;
}

/**
 * ∫ √((M dφ)² + (N cos φ dλ)²) along the edge, with the ellipsoid's radii of curvature
 * M = a (1 − e²) / (1 − e² sin² φ)^(3/2) and N = a / √(1 − e² sin² φ) (Snyder, Map Projections, USGS
 * PP 1395 (1987), eq. 4-18 and 4-20).
 */
function computeEdgeLength(from: Position, to: Position): number {
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
