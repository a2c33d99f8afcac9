import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Position } from '../../../engine/geometry/polygon.ts';
import { computeCellAreas } from '../../../engine/raster/grid/cell-areas.ts';
import type { ProjectedParts } from '../../../engine/raster/grid/project.ts';
import { randomPolygons } from '../../support/raster/random-polygons.ts';
import { runs } from '../../support/runs.ts';

const GRID = { col: 0, row: 0, width: 40, height: 30 };
/** A window around every random polygon. */
const AROUND = { col: -25, row: -25, width: 90, height: 80 };

function projectedOf(polygon: readonly (readonly (readonly Position[])[])[]): ProjectedParts {
  return {
    rings: polygon.flatMap((rings) => rings.map((ring) => Float64Array.from(ring.flat()))),
    partOfRing: polygon.flatMap((rings, part) => rings.map(() => part)),
    isHole: polygon.flatMap((rings) => rings.map((_, i) => i > 0)),
  };
}

const sum = (areas: Float64Array): number => areas.reduce((total, area) => total + area, 0);

function areaOf(ring: readonly Position[]): number {
  let doubled = 0;
  for (const [i, [x, y]] of ring.entries()) {
    const [nextX, nextY] = ring[i + 1] ?? [x, y];
    doubled += x * nextY - nextX * y;
  }
  return Math.abs(doubled) / 2;
}

describe('the areas of polygon ∩ cell', () => {
  const polygons = randomPolygons(120);

  it('add up to the area of the polygon minus its holes', () => {
    for (const polygon of polygons) {
      const whole = polygon.reduce((total, [shell = [], ...holes]) => {
        return total + areaOf(shell) - holes.reduce((all, hole) => all + areaOf(hole), 0);
      }, 0);
      expect(sum(computeCellAreas(projectedOf(polygon), AROUND))).toBeCloseTo(whole, 9);
    }
  });

  it('do not depend on the window', () => {
    for (const polygon of polygons.slice(0, 40)) {
      const projected = projectedOf(polygon);
      const whole = computeCellAreas(projected, GRID);
      const window = { col: 7, row: 11, width: 13, height: 9 };
      const part = computeCellAreas(projected, window);
      for (let row = 0; row < window.height; row += 1) {
        for (let col = 0; col < window.width; col += 1) {
          const same = whole[(row + window.row) * GRID.width + col + window.col] ?? Number.NaN;
          expect(part[row * window.width + col]).toBeCloseTo(same, 11);
        }
      }
    }
  });

  it('do not depend on the direction of the rings', () => {
    for (const polygon of polygons.slice(0, 40)) {
      const turned = polygon.map((rings) => rings.map((ring) => [...ring].reverse()));
      const [one, other] = [polygon, turned].map((each) =>
        computeCellAreas(projectedOf(each), GRID),
      );
      for (const [i, area] of (one ?? []).entries()) expect(other?.[i]).toBeCloseTo(area, 11);
    }
  });

  it('are the products of the overlaps for a rectangle', () => {
    const overlap = (from: number, to: number, cell: number): number =>
      Math.max(Math.min(to, cell + 1) - Math.max(from, cell), 0);
    const side = fc.tuple(
      fc.double({ min: -5, max: 40, noNaN: true }),
      fc.double({ min: 0.001, max: 20, noNaN: true }),
    );
    const property = fc.property(side, side, ([x, across], [y, down]) => {
      const [east, south] = [x + across, y + down];
      const ring: Position[] = [
        [x, y],
        [east, y],
        [east, south],
        [x, south],
        [x, y],
      ];
      const areas = computeCellAreas(projectedOf([[ring]]), GRID);
      for (const [i, area] of areas.entries()) {
        const expected =
          overlap(x, east, i % GRID.width) * overlap(y, south, Math.floor(i / GRID.width));
        expect(Math.abs(area - expected)).toBeLessThan(1e-9);
      }
    });
    fc.assert(property, { numRuns: runs(50), seed: 20_260_101 });
  });

  it('are zero for a ring west of the window', () => {
    const ring: Position[] = [
      [-9, 1],
      [-2, 4],
      [-9, 8],
      [-9, 1],
    ];
    expect(sum(computeCellAreas(projectedOf([[ring]]), GRID))).toBe(0);
  });
});
