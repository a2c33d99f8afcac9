import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Position } from '../../../engine/geometry/polygon.ts';
import { drawCellMask, planCells } from '../../../engine/raster/grid/plan.ts';
import { projectPolygon } from '../../../engine/raster/grid/project.ts';
import { splitInBlocks } from '../../../engine/raster/grid/window.ts';
import { rdGrid, rectangle, toLonLat, toPolygon } from '../../support/raster/builders.ts';

const grid = rdGrid();

describe('the blocks of a window', () => {
  it("cover each cell once, in whole tiles from the window's corner", () => {
    const size = fc.integer({ min: 1, max: 400 });
    fc.assert(
      fc.property(size, size, fc.constantFrom(1, 2, 4), (width, height, blockTiles) => {
        const window = { col: 17, row: 33, width, height };
        const seen = new Uint8Array(width * height);
        for (const block of splitInBlocks(window, grid, blockTiles)) {
          expect((block.col - 17) % (64 * blockTiles)).toBe(0);
          expect((block.row - 33) % (64 * blockTiles)).toBe(0);
          for (let row = block.row; row < block.row + block.height; row += 1) {
            for (let col = block.col; col < block.col + block.width; col += 1) {
              const cell = (row - 33) * width + col - 17;
              seen[cell] = (seen[cell] ?? 0) + 1;
            }
          }
        }
        expect(seen.every((times) => times === 1)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the plan of a polygon', () => {
  it('has a window around it and counts its cells', () => {
    const plan = planCells(toPolygon(rectangle(grid, [10.2, 20.2, 150.2, 60.2])), grid);
    expect(plan).toMatchObject({
      window: { col: 10, row: 20, width: 141, height: 41 },
      rule: 'centre',
      pointCount: 140 * 40,
      warnings: [],
    });
    expect(plan?.blocks.map(({ idx, col, row, width }) => [idx, col, row, width])).toEqual([
      [0, 10, 20, 128],
      [1, 138, 20, 13],
    ]);
  });

  it('excludes the cells of holes', () => {
    const shell = rectangle(grid, [10, 10, 50, 50]);
    const hole = rectangle(grid, [20, 20, 30, 30]);
    expect(planCells(toPolygon(shell, hole), grid)?.pointCount).toBe(1600 - 100);
  });

  it('skips blocks without cells, and numbers the others consecutively', () => {
    const ring = toLonLat(grid, [
      [0.2, 0.2],
      [299.8, 0.2],
      [299.8, 20],
      [20, 20],
      [20, 299.8],
      [0.2, 299.8],
      [0.2, 0.2],
    ]);
    const plan = planCells(toPolygon(ring), grid);
    expect(plan?.blocks.map(({ idx, col, row }) => [idx, col, row])).toEqual([
      [0, 0, 0],
      [1, 128, 0],
      [2, 256, 0],
      [3, 0, 128],
      [4, 0, 256],
    ]);
  });

  it('counts the cells of each block’s mask', () => {
    const point = fc.tuple(
      fc.double({ min: -20, max: 330, noNaN: true }),
      fc.double({ min: -20, max: 430, noNaN: true }),
    );
    fc.assert(
      fc.property(point, point, point, point, (a, b, c, [col, row]) => {
        const sliver = toLonLat(grid, [
          [col, row],
          [col + 0.02, row + 40],
          [col + 0.04, row],
          [col, row],
        ]);
        const polygon = [...toPolygon(toLonLat(grid, [a, b, c, a])), [sliver]];
        const plan = planCells(polygon, grid);
        if (plan === null) return;
        const projected = projectPolygon(polygon, grid);
        const whole = drawCellMask(projected, plan.window, plan);
        expect(plan.pointCount).toBe(whole.reduce((sum, cell) => sum + cell, 0));
        for (const block of plan.blocks) {
          const mask = drawCellMask(projected, block, plan);
          expect(block.pointCount).toBe(mask.reduce((sum, cell) => sum + cell, 0));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('uses blocks of a given size', () => {
    const plan = planCells(toPolygon(rectangle(grid, [0, 0, 128, 128])), grid, { blockTiles: 1 });
    expect(plan?.blocks.map(({ pointCount }) => pointCount)).toEqual([4096, 4096, 4096, 4096]);
  });
});

describe('a polygon that covers no cell centre', () => {
  const sliver: Position[] = toLonLat(grid, [
    [3.6, 3.6],
    [6.4, 3.7],
    [3.6, 3.8],
    [3.6, 3.6],
  ]);

  it('uses every cell that it touches, with a warning', () => {
    const plan = planCells(toPolygon(sliver), grid);
    expect(plan).toMatchObject({ rule: 'touched', pointCount: 4 });
    expect(plan?.warnings).toEqual([
      {
        code: 'smaller_than_cell',
        message: expect.stringContaining('the 4 cells that it touches'),
      },
    ]);
  });
});

describe('a polygon with less area than a cell', () => {
  const warningsOf = (...rings: readonly Position[][]) =>
    planCells(toPolygon(...rings), grid)?.warnings.map(({ code }) => code);

  it('has a warning even if it covers a centre', () => {
    expect(warningsOf(rectangle(grid, [3.2, 3.2, 4.1, 4.1]))).toEqual(['smaller_than_cell']);
    expect(warningsOf(rectangle(grid, [3.2, 3.2, 4.3, 4.3]))).toEqual([]);
  });

  it('is measured without its holes', () => {
    const hole = rectangle(grid, [3.55, 3.55, 4.2, 4.2]);
    expect(warningsOf(rectangle(grid, [3.2, 3.2, 4.3, 4.3]), hole)).toEqual(['smaller_than_cell']);
  });
});

describe('a part that covers no cell centre', () => {
  const hectare = rectangle(grid, [10, 10, 20, 20]);
  /** A part of 3 × 3 m next to a cell centre, in the cell of the given column and row. */
  const speck = (col: number, row: number): Position[] =>
    rectangle(grid, [col + 0.1, row + 0.1, col + 0.4, row + 0.4]);

  it('uses every cell that it touches, and is named in the warning', () => {
    const plan = planCells([[hectare], [speck(200, 300)]], grid);
    expect(plan).toMatchObject({ rule: 'centre', touchedParts: [1], pointCount: 101 });
    expect(plan?.blocks.at(-1)).toMatchObject({ pointCount: 1 });
    expect(plan?.warnings).toEqual([
      {
        code: 'smaller_than_cell',
        message: expect.stringMatching(/^Part 1 of the MultiPolygon/),
      },
    ]);
  });

  it('shares a cell with another part, which is counted once', () => {
    const half = rectangle(grid, [10.6, 10, 20, 20]);
    const plan = planCells([[speck(10, 12)], [half], [speck(10, 15)], [speck(10, 15.5)]], grid);
    expect(plan).toMatchObject({ touchedParts: [0, 2, 3], pointCount: 90 + 2 });
    expect(plan?.warnings[0]?.message).toMatch(/^Parts 0, 2, 3 of the MultiPolygon /);
  });

  it('is named with at most four others', () => {
    const specks = Array.from({ length: 3_000 }, (_, i) => [
      speck(30 + (i % 250), 30 + Math.floor(i / 250)),
    ]);
    const plan = planCells([...specks, [hectare]], grid);
    expect(plan).toMatchObject({ pointCount: 3_100 });
    expect(plan?.touchedParts).toHaveLength(3_000);
    expect(plan?.warnings[0]?.message).toMatch(/^Parts 0, 1, 2, 3, 4 and 2995 more of /);
  });

  it('has cells on the grid, and none outside', () => {
    const over = rectangle(grid, [311.7, 50.1, 330, 50.4]);
    const beside = rectangle(grid, [-5, 100, -0.001, 110]);
    const plan = planCells([[hectare], [over], [beside]], grid);
    expect(plan).toMatchObject({ touchedParts: [1], pointCount: 101 });
    expect(plan?.warnings.map(({ code }) => code)).toEqual([
      'partly_outside_grid',
      'smaller_than_cell',
    ]);
  });

  it('is reported as outside the grid even if it is far away', () => {
    const australia: Position[] = [
      [135, -25],
      [136, -25],
      [136, -24],
      [135, -25],
    ];
    const plan = planCells([[hectare], [australia]], grid);
    expect(plan).toMatchObject({ touchedParts: [], pointCount: 100 });
    expect(plan?.warnings.map(({ code }) => code)).toEqual(['partly_outside_grid']);
  });

  it('makes the rule `touched` apply to the whole polygon if no other part covers a centre', () => {
    const plan = planCells([[speck(3, 3)], [speck(7, 9)]], grid);
    expect(plan).toMatchObject({ rule: 'touched', touchedParts: [], pointCount: 2 });
  });
});

describe('a polygon that extends beyond the grid', () => {
  it('is clipped, with a warning', () => {
    const plan = planCells(toPolygon(rectangle(grid, [300.01, 400.01, 330, 430])), grid);
    expect(plan).toMatchObject({ pointCount: 12 * 16 });
    expect(plan?.window).toEqual({ col: 300, row: 400, width: 12, height: 16 });
    expect(plan?.warnings.map(({ code }) => code)).toEqual(['partly_outside_grid']);
  });

  it('has no plan if it is outside the grid, near or far', () => {
    expect(planCells(toPolygon(rectangle(grid, [320, 10, 330, 20])), grid)).toBeNull();
    expect(
      planCells(
        toPolygon([
          [10, -40],
          [11, -40],
          [11, -41],
          [10, -40],
        ]),
        grid,
      ),
    ).toBeNull();
  });

  it('covers the whole grid if it covers the world', () => {
    const world: Position[] = [
      [-180, -90],
      [180, -90],
      [180, 90],
      [-180, 90],
      [-180, -90],
    ];
    expect(planCells(toPolygon(world), grid)?.pointCount).toBe(312 * 416);
  });
});
