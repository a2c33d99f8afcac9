import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeHectares } from '../../../../engine/geometry/ellipsoid.ts';
import { parseJobPolygon } from '../../../../engine/geometry/parse.ts';
import type { MultiPolygonRings } from '../../../../engine/geometry/polygon.ts';
import { planCells } from '../../../../engine/raster/grid/plan.ts';
import { measureArea } from '../../../../lambdas/domain/job/planning/measured-area.ts';
import { LIMITS } from '../../../../lambdas/domain/limits.ts';
import { aSquare } from '../../../support/box.ts';
import { rdGrid, toLonLat } from '../../../support/raster/builders.ts';
import { randomPolygons } from '../../../support/raster/random-polygons.ts';
import { runs } from '../../../support/runs.ts';
import { thinZigzag } from '../../../support/thin-zigzag.ts';
import { tinyTriangles } from '../../../support/tiny-triangles.ts';

const grid = rdGrid();
const CELL_SQUARE_METRES = grid.cell_size ** 2;

function parsed(geometry: unknown): MultiPolygonRings {
  const parsing = parseJobPolygon(geometry);
  if (parsing.kind === 'problem') throw new Error(parsing.message);
  return parsing.polygon;
}

/** The largest area that the cells may cover, with a margin of 1 % because the projection distorts areas. */
function computeMaxPredicted(polygon: MultiPolygonRings): number {
  return 1.01 * (2 + 2 * Math.SQRT2) * measureArea(polygon).chargedSquareMetres;
}

const predictedArea = (polygon: MultiPolygonRings): number =>
  (planCells(polygon, grid)?.pointCount ?? 0) * CELL_SQUARE_METRES;

describe('the charged area', () => {
  it('is the ground area of a wide polygon', () => {
    const field = parsed(aSquare(5.74, 50.96, 0.005));
    const { squareMetres, chargedSquareMetres } = measureArea(field);
    expect(squareMetres).toBe(Math.round(computeHectares(field) * 10_000));
    expect(chargedSquareMetres).toBe(squareMetres);
  });

  it('is the perimeter × 10 m of a thin polygon', () => {
    // A degree of latitude at 51° is 111.25 km (Snyder, table 4); the line goes 0.02° north and back.
    const line = parsed(thinZigzag([5.73, 50.96, 5.73 + 1e-9, 50.98], 4, 1e-9));
    const { squareMetres, chargedSquareMetres } = measureArea(line);
    expect(squareMetres).toBe(0);
    const perimeter = chargedSquareMetres / LIMITS.chargedWidthMetres;
    expect(perimeter / (2 * 0.02 * 111_250)).toBeCloseTo(1, 3);
  });

  it('is at least a fifth of the area of the cells, for a zigzag of 600 vertices and a width of 1e-12°', () => {
    const zigzag = parsed(thinZigzag([5.7208, 50.9555, 5.7655, 50.993], 600, 1e-12));
    expect(measureArea(zigzag).squareMetres).toBe(0);
    expect(predictedArea(zigzag)).toBeGreaterThan(5_000_000);
    expect(predictedArea(zigzag)).toBeLessThan(computeMaxPredicted(zigzag));
  });

  it('is at least the area of the cells of 3,333 tiny triangles', () => {
    const triangles = parsed(tinyTriangles(3_333));
    const { squareMetres, chargedSquareMetres } = measureArea(triangles);
    expect(squareMetres).toBeLessThan(1);
    expect(predictedArea(triangles)).toBeGreaterThan(300_000);
    expect(chargedSquareMetres).toBeGreaterThanOrEqual(predictedArea(triangles));
    expect(chargedSquareMetres).toBe(3_333 * LIMITS.chargedSquareMetresPerRing);
  });

  it('limits the predicted area of any polygon, and is never less than the polygon’s own', () => {
    for (const coordinates of randomPolygons(300)) {
      const polygon = coordinates.map((rings) => rings.map((ring) => toLonLat(grid, ring)));
      const { squareMetres, chargedSquareMetres } = measureArea(polygon);
      expect(chargedSquareMetres).toBeGreaterThanOrEqual(squareMetres);
      expect(predictedArea(polygon)).toBeLessThanOrEqual(computeMaxPredicted(polygon));
    }
  });

  it('limits the predicted area of any zigzag', () => {
    const shape = fc.record({
      corners: fc.integer({ min: 2, max: 60 }),
      east: fc.double({ min: 1e-6, max: 0.03, noNaN: true }),
      north: fc.double({ min: 1e-6, max: 0.03, noNaN: true }),
      width: fc.constantFrom(1e-12, 1e-9, 1e-6, 1e-5, 1e-4),
    });
    fc.assert(
      fc.property(shape, ({ corners, east, north, width }) => {
        const box = [5.73, 50.96, 5.73 + east, 50.96 + north] as const;
        const parsing = parseJobPolygon(thinZigzag(box, 2 * corners, width));
        fc.pre(parsing.kind === 'polygon');
        if (parsing.kind === 'polygon') {
          expect(predictedArea(parsing.polygon)).toBeLessThanOrEqual(
            computeMaxPredicted(parsing.polygon),
          );
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
