import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJobPolygon } from '../../../lambdas/raster/geometry/parse.ts';
import type { Position } from '../../../lambdas/raster/geometry/polygon.ts';
import type { ProjectedPolygon } from '../../../lambdas/raster/grid/project.ts';
import {
  rasterise,
  rasteriseTouched,
  uniformParity,
} from '../../../lambdas/raster/grid/rasterise.ts';
import { judge } from './builders.ts';

const window = { col: 0, row: 0, width: 40, height: 30 };

/** In cell space, closed here. */
function cells(...rings: readonly (readonly Position[])[]): ProjectedPolygon {
  return {
    rings: rings.map((ring) => Float64Array.from([...ring, ...ring.slice(0, 1)].flat())),
  };
}

const count = (mask: Uint8Array): number => mask.reduce((sum, cell) => sum + cell, 0);

describe('rasterising by cell centres', () => {
  it('takes the cells whose centre is inside, and leaves holes out', () => {
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

  it('gives a centre on a shared edge to one neighbour alone', () => {
    // Every corner on a centre.
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

  it('parts a rectangle among the triangles of a fan, whatever the point in its middle', () => {
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

  it('answers the same for a cell in any window', () => {
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
          const uniform = uniformParity(polygon, part);
          if (uniform !== null) expect(count(mask)).toBe(uniform * 200);
        },
      ),
    );
  });
});

describe('rasterising every touched cell', () => {
  it('takes a polygon between the centres', () => {
    const sliver: Position[] = [
      [3.6, 3.6],
      [6.4, 3.7],
      [3.6, 3.8],
    ];
    expect(count(rasterise(cells(sliver), window))).toBe(0);
    const mask = rasteriseTouched(cells(sliver), window);
    expect([...mask.keys()].filter((cell) => mask[cell] === 1)).toEqual([123, 124, 125, 126]);
  });

  it('takes the one cell that a polygon lies in', () => {
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

describe('beside GDAL', () => {
  /** Star-shaped rings around random middles, kept where they are valid; a hole in every third. */
  const polygons = randomPolygons(300);

  it('is cell for cell the same, by centres and by touch', { timeout: 60_000 }, () => {
    const request = { width: window.width, height: window.height, polygons };
    const gdal = judge('judge_rasterise.py', [], JSON.stringify(request)) as {
      centre: number[];
      touched: number[];
    }[];
    expect(gdal).toHaveLength(polygons.length);
    for (const [i, rings] of polygons.entries()) {
      const polygon = cells(...rings.map((ring) => ring.slice(0, -1)));
      expect([...rasterise(polygon, window)], `polygon ${i}`).toEqual(gdal[i]?.centre);
      expect([...rasteriseTouched(polygon, window)], `polygon ${i}`).toEqual(gdal[i]?.touched);
    }
  });
});

function randomPolygons(wanted: number): Position[][][] {
  const point = fc.record({
    turn: fc.double({ min: 0.1, max: 1, noNaN: true }),
    reach: fc.double({ min: 0.2, max: 1, noNaN: true }),
  });
  const shape = fc.record({
    col: fc.double({ min: 1, max: 39, noNaN: true, noDefaultInfinity: true }),
    row: fc.double({ min: 1, max: 29, noNaN: true }),
    size: fc.double({ min: 0.3, max: 20, noNaN: true }),
    points: fc.array(point, { minLength: 3, maxLength: 24 }),
    holed: fc.boolean(),
  });
  return fc
    .sample(shape, { numRuns: wanted * 2, seed: 20_260_101 })
    .map(({ col, row, size, points, holed }) => {
      const all = points.reduce((sum, { turn }) => sum + turn, 0);
      let angle = 0;
      const ring = points.map(({ turn, reach }): Position => {
        angle += (2 * Math.PI * turn) / all;
        // Thousandths, odd ones: no corner on a centre or a cell's edge, where GDAL has its own rule.
        const odd = (value: number): number => (2 * Math.round(value * 500) + 1) / 1000;
        return [
          odd(col + size * reach * Math.cos(angle)),
          odd(row + size * reach * Math.sin(angle)),
        ];
      });
      const shell = [...ring, ...ring.slice(0, 1)];
      const shrink = ([x, y]: Position): Position => [col + (x - col) * 0.1, row + (y - row) * 0.1];
      return holed ? [shell, shell.map(shrink)] : [shell];
    })
    .filter((rings) => parseJobPolygon({ type: 'Polygon', coordinates: rings }).kind === 'polygon')
    .slice(0, wanted);
}
