import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Position } from '../../../engine/geometry/polygon.ts';
import { countByBlock } from '../../../engine/raster/grid/count-cells.ts';
import { drawCellMask, sortPartsByCells } from '../../../engine/raster/grid/plan.ts';
import {
  type ProjectedParts,
  type ProjectedPolygon,
  projectPolygon,
  selectParts,
} from '../../../engine/raster/grid/project.ts';
import { rasterise, rasteriseTouched } from '../../../engine/raster/grid/rasterise.ts';
import { rdGrid, toLonLat } from '../../support/raster/builders.ts';
import { randomPolygons } from '../../support/raster/random-polygons.ts';
import { runs } from '../../support/runs.ts';
import { runCheck } from './run-check.ts';

const window = { col: 0, row: 0, width: 40, height: 30 };

function cells(...rings: readonly (readonly Position[])[]): ProjectedPolygon {
  return {
    rings: rings.map((ring) => Float64Array.from([...ring, ...ring.slice(0, 1)].flat())),
  };
}

const count = (mask: Uint8Array): number => mask.reduce((sum, cell) => sum + cell, 0);

describe('rasterising by cell centres', () => {
  it('selects the cells whose centre is inside the polygon and not in a hole', () => {
    const shell: Position[] = [
      [2, 2],
      [12, 2],
      [12, 10],
      [2, 10],
    ];
    const hole: Position[] = [
      [4, 4],
      [6, 4],
      [6, 6],
      [4, 6],
    ];
    expect(count(rasterise(cells(shell), window))).toBe(80);
    const mask = rasterise(cells(shell, hole), window);
    expect(count(mask)).toBe(76);
    expect([mask[4 * 40 + 4], mask[6 * 40 + 6], mask[3 * 40 + 3]]).toEqual([0, 1, 1]);
  });

  it('assigns a centre on a shared edge to exactly one neighbour', () => {
    // Every corner is on a cell centre.
    const west: Position[] = [
      [2.5, 2.5],
      [8.5, 2.5],
      [8.5, 9.5],
      [2.5, 9.5],
    ];
    const east: Position[] = [
      [8.5, 2.5],
      [14.5, 2.5],
      [14.5, 9.5],
      [8.5, 9.5],
    ];
    const masks = [rasterise(cells(west), window), rasterise(cells(east), window)];
    expect(masks.map(count)).toEqual([42, 42]);
    expect(
      count(
        rasterise(
          cells([
            [2.5, 2.5],
            [14.5, 2.5],
            [14.5, 9.5],
            [2.5, 9.5],
          ]),
          window,
        ),
      ),
    ).toBe(84);
  });

  it('divides a rectangle among the triangles of a fan for any apex', () => {
    const halves = fc.integer({ min: 0, max: 60 }).map((n) => n / 2);
    const anywhere = fc.double({ min: 0.01, max: 29.99, noNaN: true });
    const inside = fc.oneof(halves, anywhere);
    const corners: Position[] = [
      [0, 0],
      [15, 0],
      [30, 0],
      [30, 30],
      [0.5, 30],
      [0, 30],
    ];
    fc.assert(
      fc.property(inside, inside, (col, row) => {
        const owners = new Uint8Array(window.width * window.height);
        for (const [i, corner] of corners.entries()) {
          const next = corners[(i + 1) % corners.length] ?? corner;
          const mask = rasterise(cells([corner, next, [col, row]]), window);
          for (const [cell, inMask] of mask.entries()) owners[cell] = (owners[cell] ?? 0) + inMask;
        }
        const whole = rasterise(cells(corners), window);
        expect(owners).toEqual(whole);
      }),
    );
  });

  it('gives the same result for a cell in any window', () => {
    const point = fc.tuple(
      fc.double({ min: -5, max: 45, noNaN: true }),
      fc.double({ min: -5, max: 35, noNaN: true }),
    );
    const offset = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(
        fc.array(point, { minLength: 3, maxLength: 12 }),
        offset,
        offset,
        (ring, col, row) => {
          const polygon = cells(ring);
          const whole = rasterise(polygon, window);
          const part = { col, row, width: 20, height: 10 };
          const mask = rasterise(polygon, part);
          for (let i = 0; i < mask.length; i += 1) {
            const cell = (row + Math.floor(i / 20)) * 40 + col + (i % 20);
            expect(mask[i]).toBe(whole[cell]);
          }
        },
      ),
    );
  });
});

describe('rasterising every touched cell', () => {
  it('selects cells even if the polygon contains no centre of a cell', () => {
    const sliver: Position[] = [
      [3.6, 3.6],
      [6.4, 3.7],
      [3.6, 3.8],
    ];
    expect(count(rasterise(cells(sliver), window))).toBe(0);
    const mask = rasteriseTouched(cells(sliver), window);
    expect([...mask.keys()].filter((cell) => mask[cell] === 1)).toEqual([123, 124, 125, 126]);
  });

  it('selects the cell that contains a polygon', () => {
    expect(
      count(
        rasteriseTouched(
          cells([
            [3.1, 3.1],
            [3.2, 3.1],
            [3.2, 3.2],
          ]),
          window,
        ),
      ),
    ).toBe(1);
  });
});

interface Masks {
  readonly centre: string;
  readonly inside: string;
  readonly touched: string;
  readonly intersected: string;
  readonly by_part: string;
}

const NO_MASKS: Masks = { centre: '', inside: '', touched: '', intersected: '', by_part: '' };

const WINDOW_GRID = rdGrid({ width: window.width, height: window.height });

describe('compared with GDAL and shapely,', () => {
  async function compare(
    polygons: readonly ProjectedParts[],
    parts: readonly Position[][][][],
  ): Promise<void> {
    const request = { width: window.width, height: window.height, polygons: parts };
    const theirs = (await runCheck('check_rasterise.py', [], JSON.stringify(request))) as Masks[];
    expect(theirs).toHaveLength(polygons.length);
    let [apart, all, mixed] = [0, 0, 0];
    for (const [i, polygon] of polygons.entries()) {
      const { centre, inside, touched, intersected, by_part } = theirs[i] ?? NO_MASKS;
      const byCentre = Buffer.from(rasterise(polygon, window)).toString('base64');
      expect([centre, inside], `polygon ${i}`).toEqual([byCentre, byCentre]);
      const ours = Buffer.from(rasteriseTouched(polygon, window));
      expect(intersected, `polygon ${i}`).toBe(ours.toString('base64'));
      // If an edge enters a cell by less than a hundredth of its width, GDAL may or may not count the cell.
      apart += Buffer.from(touched, 'base64').filter((cell, at) => cell !== ours[at]).length;
      all += count(ours);
      const { touching: touchedParts, withCentre } = sortPartsByCells(polygon, window, WINDOW_GRID);
      const mask = drawCellMask(polygon, window, { rule: 'centre', touchedParts });
      expect(by_part, `polygon ${i}`).toBe(Buffer.from(mask).toString('base64'));
      const edges = selectParts(polygon, new Set(touchedParts));
      expect(countByBlock(polygon, window, 64, edges)[0]).toBe(count(mask));
      if (withCentre > 0 && touchedParts.length > 0) mixed += 1;
    }
    expect(apart / all).toBeLessThan(5e-4);
    expect(mixed).toBeGreaterThan(10);
  }

  it('the result is the same cell by cell for polygons with holes, parts and slivers', async () => {
    const parts = randomPolygons(runs(2_000));
    expect(parts).toHaveLength(runs(2_000));
    await compare(
      parts.map((polygon) => ({
        ...cells(...polygon.flat().map((ring) => ring.slice(0, -1))),
        partOfRing: polygon.flatMap((rings, part) => rings.map(() => part)),
        isHole: polygon.flatMap((rings) => rings.map((_, i) => i > 0)),
      })),
      parts,
    );
  });

  it('the result is the same for WGS84 polygons with a shared projection', async () => {
    const grid = rdGrid();
    const polygons = randomPolygons(600);
    const projected = polygons.map((parts) =>
      projectPolygon(
        parts.map((rings) => rings.map((ring) => toLonLat(grid, ring))),
        grid,
      ),
    );
    // Compare only polygons that lost no ring in the projection; their rings keep their order.
    const whole = projected.flatMap((polygon, i) => {
      const parts = polygons[i] ?? [];
      const rings = polygon.rings.map(pairsOf);
      if (rings.length !== parts.flat().length) return [];
      return [{ polygon, parts: parts.map(({ length }) => rings.splice(0, length)) }];
    });
    await compare(
      whole.map(({ polygon }) => polygon),
      whole.map(({ parts }) => parts),
    );
    expect(whole.length).toBeGreaterThan(500);
    expect(whole.filter(({ parts }) => parts.flat().length > 1).length).toBeGreaterThan(200);
  });
});

function pairsOf(ring: Float64Array): Position[] {
  return Array.from({ length: ring.length / 2 }, (_, i) => [
    ring[2 * i] ?? Number.NaN,
    ring[2 * i + 1] ?? Number.NaN,
  ]);
}
