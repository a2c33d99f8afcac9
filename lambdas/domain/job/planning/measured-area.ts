import {
  computeHectares,
  computePerimeter,
  SQUARE_METRES_PER_HECTARE,
} from '#engine/geometry/ellipsoid.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { LIMITS } from '../../limits.ts';

/** The size of a polygon, in whole square metres. */
export interface MeasuredArea {
  /** The area on the ground. */
  readonly squareMetres: number;
  /** The area that quotas and limits count, which is at least the ground area. */
  readonly chargedSquareMetres: number;
}

/** The area stored for a job that will be rejected, for which nothing is predicted. */
export const NO_AREA: MeasuredArea = { squareMetres: 0, chargedSquareMetres: 0 };

/**
 * Computes the charge: the largest of the ground area, perimeter × `LIMITS.chargedWidthMetres`, and the number of rings
 * × `LIMITS.chargedSquareMetresPerRing`. The last two exist because a polygon or a ring smaller than a cell is
 * predicted in every cell that its outline crosses. Cells of c metres that a closed curve of length L touches lie
 * within √2 c of it, and so cover at most 2√2 c L + 2π c² (Steiner's formula). So on a grid of c = 10 m, the cells of a
 * polygon cover at most 2 + 2√2 times its charge.
 */
export function measureArea(polygon: MultiPolygonRings): MeasuredArea {
  const ground = computeHectares(polygon) * SQUARE_METRES_PER_HECTARE;
  const outline = computePerimeter(polygon) * LIMITS.chargedWidthMetres;
  return {
    squareMetres: Math.round(ground),
    chargedSquareMetres: Math.round(Math.max(ground, outline, chargeOfRings(polygon))),
  };
}

/** Returns the minimum charge of a polygon for its number of rings, in square metres. */
export function chargeOfRings(polygon: MultiPolygonRings): number {
  return polygon.flat().length * LIMITS.chargedSquareMetresPerRing;
}
