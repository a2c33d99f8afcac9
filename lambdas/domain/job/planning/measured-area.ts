import {
  computeHectares,
  computePerimeter,
  SQUARE_METRES_PER_HECTARE,
} from '#engine/geometry/ellipsoid.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { LIMITS } from '../../limits.ts';

/** In whole square metres. */
export interface MeasuredArea {
  readonly squareMetres: number;
  /** The area that quotas and limits count. */
  readonly chargedSquareMetres: number;
}

/** The area of a job that will be rejected. */
export const NO_AREA: MeasuredArea = { squareMetres: 0, chargedSquareMetres: 0 };

/**
 * The charge is the largest of the ground area, perimeter × `LIMITS.chargedWidthMetres`, and the number of rings ×
 * `LIMITS.chargedSquareMetresPerRing`. The last two exist because a polygon or a ring smaller than a cell is predicted
 * in every cell that its outline crosses. Cells of c metres that a closed curve of length L touches lie within √2 c of
 * it, and so cover at most 2√2 c L + 2π c² (Steiner's formula).
 */
export function measureArea(polygon: MultiPolygonRings): MeasuredArea {
  const ground = computeHectares(polygon) * SQUARE_METRES_PER_HECTARE;
  const outline = computePerimeter(polygon) * LIMITS.chargedWidthMetres;
  return {
    squareMetres: Math.round(ground),
    chargedSquareMetres: Math.round(Math.max(ground, outline, chargeOfRings(polygon))),
  };
}

/** In square metres. */
export function chargeOfRings(polygon: MultiPolygonRings): number {
  return polygon.flat().length * LIMITS.chargedSquareMetresPerRing;
}
