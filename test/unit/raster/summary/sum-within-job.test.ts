import { describe, expect, it } from 'vitest';
import { sumWithinJob } from '../../../../engine/raster/summary/sum-within-job.ts';
import { type Cell, makeCells, sumNodes } from './nodes.ts';

const CELLS = { cols: 1, rows: 1 };

/** A plain double sum, with the correlation cut off at ten ranges. */
function computeDoubleSum(
  cells: readonly Cell[],
  rangeMetres: number,
  metres = { cols: 10, rows: 10 },
) {
  let sum = 0;
  for (const [i, a] of cells.entries()) {
    sum += a.error ** 2;
    for (const b of cells.slice(i + 1)) {
      const [x, y] = [(a.col - b.col) * metres.cols, (a.row - b.row) * metres.rows];
      // `Math.hypot` is slow.
      const apart = Math.sqrt(x * x + y * y);
      const correlated = apart > 10 * rangeMetres ? 0 : 2 * Math.exp(-apart / rangeMetres);
      sum += a.error * b.error * correlated;
    }
  }
  return sum;
}

const correlation = (rangeMetres: number) => ({ nugget: 0, rangeMetres });

const SMALL = { width: 61, height: 47 };
const SHAPES: Readonly<Record<string, (col: number, row: number) => boolean>> = {
  disc: (col, row) => Math.hypot(col - 30.2, row - 20.7) < 19,
  'one cell': (col, row) => col === 5 && row === 7,
  strip: (col, row) => Math.abs(row - 0.7 * col) < 0.6,
  comb: (col, row) => col % 7 < 2 && row < 40,
  'the whole window': () => true,
};

describe('with a node per cell, the sum equals the plain double sum', () => {
  it.each(Object.keys(SHAPES))('%s', async (name) => {
    const cells = makeCells(SMALL, SHAPES[name] ?? (() => false));
    for (const range of [25.3, 150, 4_000]) {
      const sum = await sumWithinJob(sumNodes(cells, SMALL, CELLS), correlation(range));
      expect(Math.abs(sum / computeDoubleSum(cells, range) - 1)).toBeLessThan(1e-6);
    }
  });

  it('for cells that are not square on the ground, as in degrees', async () => {
    const metres = { cols: 19, rows: 31 };
    const cells = makeCells(SMALL, SHAPES['disc'] ?? (() => false));
    const sum = await sumWithinJob(sumNodes(cells, SMALL, CELLS, metres), correlation(150));
    expect(Math.abs(sum / computeDoubleSum(cells, 150, metres) - 1)).toBeLessThan(1e-6);
  });
});

describe('a window that takes several tiles', () => {
  /** Ten ranges are 50 cells, so the tiles have 412 cells with a halo of 50. */
  const range = 50;
  const LONG = { width: 2_300, height: 40 };

  it('has the same sum as a window in one tile, wherever its cells are', async () => {
    const block = makeCells({ width: 500, height: 40 }, (col, row) => (col * row) % 3 > 0);
    const alone = await sumWithinJob(
      sumNodes(block, { width: 500, height: 40 }, CELLS),
      correlation(range),
    );
    for (const shift of [0, 401, 1_795]) {
      const moved = block.map((cell) => ({ ...cell, col: cell.col + shift }));
      const sum = await sumWithinJob(sumNodes(moved, LONG, CELLS), correlation(range));
      expect(sum / alone).toBeCloseTo(1, 9);
    }
  });

  it('adds up parts that are too far apart to be correlated', async () => {
    const block = makeCells({ width: 300, height: 40 }, () => true);
    const far = block.map((cell) => ({ ...cell, col: cell.col + 1_500 }));
    const one = await sumWithinJob(sumNodes(block, LONG, CELLS), correlation(range));
    const both = await sumWithinJob(sumNodes([...block, ...far], LONG, CELLS), correlation(range));
    expect(both / (2 * one)).toBeCloseTo(1, 9);
  });
});

describe('with nodes of a quarter of the range, the standard error is accurate to 0.3 %', () => {
  const size = { width: 600, height: 600 };
  const large: Readonly<Record<string, (col: number, row: number) => boolean>> = {
    disc: (col, row) => Math.hypot(col - 300.3, row - 301) < 280,
    triangle: (col, row) => row > col * 0.7 && row < 500,
    'a row of cells': (_, row) => row === 301,
    'an oblique strip': (col, row) => Math.abs(row - 0.63 * col - 30) < 0.6,
    comb: (col, row) => col % 37 < 2 && row < 450,
  };
  const cases = Object.keys(large).flatMap((name) => [2, 4, 8].map((k) => [name, k] as const));
  it.each(cases)('%s, nodes of %i cells', async (name, k) => {
    const cells = makeCells(size, large[name] ?? (() => false));
    const range = correlation(4 * k * 10);
    const sum = await sumWithinJob(sumNodes(cells, size, { cols: k, rows: k }), range);
    const exact = await sumWithinJob(sumNodes(cells, size, CELLS), range);
    expect(Math.abs(Math.sqrt(sum / exact) - 1)).toBeLessThan(0.003);
  });
});
