import {
  computeHectares,
  computePerimeter,
  SQUARE_METRES_PER_HECTARE,
} from '#engine/geometry/ellipsoid.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { LIMITS } from '../../limits.ts';

/** How large a polygon is, in whole square metres. */
export interface MeasuredArea {
  /** The area on the ground. */
  readonly squareMetres: number;
  /** What quotas and limits count; at least the ground area. */
  readonly chargedSquareMetres: number;
}

/** The area of a job that can only fail: nothing is predicted. */
export const NO_AREA: MeasuredArea = { squareMetres: 0, chargedSquareMetres: 0 };

/**
 * The charge is the largest of ground area, perimeter × `LIMITS.chargedWidthMetres` and the number of
 * rings × `LIMITS.chargedSquareMetresPerRing`: a polygon or a ring smaller than a cell is predicted in
 * every cell its outline crosses. Cells of c metres that a closed curve of length L touches lie within
 * √2 c of it, in at most 2√2 c L + 2π c² (Steiner's formula). So the cells of a polygon, on a grid of
 * c = 10 m, cover at most 2 + 2√2 times its charge.
 */
export function measureArea(polygon: MultiPolygonRings): MeasuredArea {
  const ground = computeHectares(polygon) * SQUARE_METRES_PER_HECTARE;
  const outline = computePerimeter(polygon) * LIMITS.chargedWidthMetres;
  return {
    squareMetres: Math.round(ground),
    chargedSquareMetres: Math.round(Math.max(ground, outline, chargeOfRings(polygon))),
  };
}

/** The minimum charge of a polygon for its number of rings, in square metres. */
export function chargeOfRings(polygon: MultiPolygonRings): number {
  return polygon.flat().length * LIMITS.chargedSquareMetresPerRing;
}
