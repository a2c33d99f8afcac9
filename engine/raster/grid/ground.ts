import { ECCENTRICITY_2, RADIANS_PER_DEGREE, SEMI_MAJOR } from '../../geometry/ellipsoid.ts';
import type { Position } from '../../geometry/polygon.ts';
import { transformOfGrid } from '../../projection/transform.ts';
import { unwrapLongitude } from './clip.ts';
import { type Grid, isGeographic } from './grid.ts';

/**
 * Ground distances near a place of the grid: two positions that differ by dc columns and dr rows are
 * √(cc dc² + 2 cr dc dr + rr dr²) metres apart on the WGS84 ellipsoid (the first fundamental form).
 */
export interface GroundMetric {
  readonly cc: number;
  readonly cr: number;
  readonly rr: number;
}

export function cellSquareMetres({ cc, cr, rr }: GroundMetric): number {
  return Math.sqrt(Math.max(cc * rr - cr * cr, 0));
}

export function groundDistance({ cc, cr, rr }: GroundMetric, dc: number, dr: number): number {
  return Math.sqrt(Math.max(cc * dc * dc + 2 * cr * dc * dr + rr * dr * dr, 0));
}

/**
 * Metres to the east and to the north from a position to a nearby position, both in WGS84 degrees, at a
 * latitude between the two.
 */
function groundOffset(from: Position, to: Position, lat: number): Position {
  const lon = (unwrapLongitude(to[0], from[0]) - from[0]) * RADIANS_PER_DEGREE;
  const sine = Math.sin(lat * RADIANS_PER_DEGREE);
  // Radii of curvature in the prime vertical and in the meridian (Snyder 1987, eq. 4-20 and 4-18).
  const w = 1 - ECCENTRICITY_2 * sine * sine;
  const across = (SEMI_MAJOR / Math.sqrt(w)) * Math.cos(lat * RADIANS_PER_DEGREE);
  const along = (SEMI_MAJOR * (1 - ECCENTRICITY_2)) / w ** 1.5;
  return [lon * across, (to[1] - from[1]) * RADIANS_PER_DEGREE * along];
}

/** Span of the differences: far above the precision of an inverse projection (10⁻¹⁰ radians, 0.6 mm). */
const SPAN_METRES = 1_000;
const METRES_PER_DEGREE = 111_320;

/**
 * Returns a function that computes the metric at a fractional column and row. Central differences of the inverse
 * projection also hold in degrees, in feet and in projections that stretch.
 */
export function createGroundMetrics(grid: Grid): (col: number, row: number) => GroundMetric {
  const { inverse } = transformOfGrid(grid);
  const geographic = isGeographic(grid);
  const metresPerUnit = geographic ? METRES_PER_DEGREE : 1;
  const half = Math.max(SPAN_METRES / (grid.cell_size * metresPerUnit), 1) / 2;
  const plane = (grid.cell_size * metresPerUnit) ** 2;
  const toLonLat = (col: number, row: number): Position =>
    inverse([grid.origin[0] + col * grid.cell_size, grid.origin[1] - row * grid.cell_size]);
  const offsetBetween = (a: Position, b: Position, lat: number): Position => {
    const [east, north] = groundOffset(a, b, lat);
    return [east / (2 * half), north / (2 * half)];
  };
  return (col, row) => {
    const lat = toLonLat(col, row)[1];
    const [ce, cn] = offsetBetween(toLonLat(col - half, row), toLonLat(col + half, row), lat);
    const [re, rn] = offsetBetween(toLonLat(col, row - half), toLonLat(col, row + half), lat);
    const metric = { cc: ce * ce + cn * cn, cr: ce * re + cn * rn, rr: re * re + rn * rn };
    // Outside the projection's domain, where no cell of the polygon lies.
    return Object.values(metric).every(Number.isFinite) ? metric : { cc: plane, cr: 0, rr: plane };
  };
}
