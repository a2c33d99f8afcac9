import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Grid } from '../../../../engine/raster/grid/grid.ts';
import {
  computeCoarseNodes,
  NUMBERS_PER_NODE,
} from '../../../../engine/raster/summary/coarse-nodes.ts';
import {
  createPairBudget,
  sumBetweenJobs,
} from '../../../../engine/raster/summary/sum-between-jobs.ts';
import { sumWithinJob } from '../../../../engine/raster/summary/sum-within-job.ts';
import { type Cell, sumNodes } from './nodes.ts';

const CELLS = { cols: 1, rows: 1 };
const GRID: Grid = {
  crs: {
    epsg: 3035,
    name: 'LAEA Europe',
    proj4:
      '+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80 +units=m +no_defs',
  },
  origin: [4_300_000, 3_210_000],
  cell_size: 10,
  width: 10_000,
  height: 10_000,
  tile_size: 256,
  block_tiles: 1,
};

interface Rectangle {
  readonly col: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}

const cellsOf = ({ col, row, width, height }: Rectangle): readonly Cell[] =>
  Array.from({ length: width * height }, (_, i) => {
    const [c, r] = [col + (i % width), row + Math.floor(i / width)];
    return { col: c, row: r, error: 5 + (c % 7) + (r % 5) };
  });

async function fieldOf(place: Rectangle, rangeMetres: number) {
  const cells = cellsOf(place);
  const own = cells.map((cell) => ({
    ...cell,
    col: cell.col - place.col,
    row: cell.row - place.row,
  }));
  const sums = sumNodes(own, place, CELLS);
  const correlation = { nugget: 0, rangeMetres };
  const nodes = await computeCoarseNodes(
    sums,
    { grid: GRID, window: place, edges: CELLS },
    correlation,
  );
  return { cells, nodes, own: await sumWithinJob(sums, correlation) };
}

/** The ratio of the standard error of all fields together to that of plain double sums over all cells. */
async function ratioOf(fields: readonly Rectangle[], rangeMetres: number): Promise<number> {
  const summed = await Promise.all(fields.map((field) => fieldOf(field, rangeMetres)));
  const weighted = summed.flatMap(({ nodes }) => (nodes === null ? [] : [{ nodes, weight: 1 }]));
  const between = sumBetweenJobs(weighted, rangeMetres, createPairBudget()) ?? NaN;
  const own = summed.reduce((sum, field) => sum + field.own, 0);
  const cells = summed.flatMap((field) => field.cells);
  let exact = 0;
  for (const a of cells) {
    for (const b of cells) {
      const apart = 10 * Math.hypot(a.col - b.col, a.row - b.row);
      exact += a.error * b.error * Math.exp(-apart / rangeMetres);
    }
  }
  return Math.sqrt((own + 2 * between) / exact);
}

describe('the standard error of several fields equals that of double sums over all cells', () => {
  const strips = Array.from({ length: 12 }, (_, i) => [2 * i, 0, 2, 60]);
  const squares = [3, 12].flatMap((col) => [3, 12].map((row) => [col, row, 9, 9]));
  it.each([
    {
      name: 'two adjacent cells',
      fields: [
        [1, 1, 1, 1],
        [2, 1, 1, 1],
      ],
    },
    { name: 'four adjacent fields', fields: squares },
    { name: 'strips', fields: strips },
    {
      name: 'a cell next to a field',
      fields: [
        [0, 0, 40, 40],
        [40, 20, 1, 1],
      ],
    },
    {
      name: 'a distant field',
      fields: [
        [0, 0, 12, 12],
        [400, 300, 12, 12],
      ],
    },
  ])('to half a percent: $name', async ({ fields }) => {
    const rectangles = fields.map(([col = 0, row = 0, width = 1, height = 1]) => ({
      ...{ col, row, width, height },
    }));
    for (const range of [15, 161, 645]) {
      expect(Math.abs((await ratioOf(rectangles, range)) - 1)).toBeLessThan(0.005);
    }
  });

  it('within 1 % for overlapping fields, except that it is larger if the range is barely longer than a cell', async () => {
    for (const col of [0, 10]) {
      const fields = [0, col].map((at) => ({ col: at, row: 0, width: 20, height: 20 }));
      for (const range of [161, 645]) {
        expect(Math.abs((await ratioOf(fields, range)) - 1)).toBeLessThan(0.01);
      }
      const ratio = await ratioOf(fields, 15);
      expect([ratio > 1, ratio < 1.15]).toEqual([true, true]);
    }
  });

  it('within 1 % for any layout of fields that do not overlap', async () => {
    const size = fc.integer({ min: 1, max: 9 });
    const at = fc.integer({ min: 0, max: 8 });
    const layout = fc.uniqueArray(fc.tuple(at, at, size, size), {
      minLength: 2,
      maxLength: 10,
      selector: ([col, row]) => `${col} ${row}`,
    });
    const range = fc.integer({ min: 5, max: 800 });
    await fc.assert(
      fc.asyncProperty(layout, range, async (fields, metres) => {
        const rectangles = fields.map(([col, row, width, height]) => ({
          ...{ col: 9 * col, row: 9 * row, width, height },
        }));
        expect(Math.abs((await ratioOf(rectangles, metres)) - 1)).toBeLessThan(0.01);
      }),
      { numRuns: 40 },
    );
  });
});

describe('many fields at the same place', () => {
  /** Copies of a field, with half of the nodes in each copy moved by a few metres. */
  async function makeCopies(count: number, width: number) {
    const { nodes } = await fieldOf({ col: 0, row: 0, width, height: width }, 161);
    if (nodes === null) throw new Error('no nodes');
    return Array.from({ length: count }, (_, i) => {
      const values = nodes.values.map((value, at) =>
        at % (2 * NUMBERS_PER_NODE) < 3 ? value + (i % 11) : value,
      );
      return { nodes: { ...nodes, values }, weight: 1 };
    });
  }

  it.each([
    { name: '120 nearly identical fields of 200 ha', count: 120, width: 141 },
    { name: '1,000 fields of 10 ha', count: 1_000, width: 32 },
  ])('take fewer than ten million steps: $name', async ({ count, width }) => {
    const jobs = await makeCopies(count, width);
    const budget = createPairBudget();
    const { steps } = budget;
    expect(sumBetweenJobs(jobs, 161, budget)).not.toBeNull();
    expect(steps - budget.steps).toBeLessThan(10_000_000);
  });

  it('have the sum of all their pairs if they are identical', async () => {
    const [field] = await makeCopies(1, 32);
    if (field === undefined) throw new Error('no field');
    const twice = sumBetweenJobs([field, field], 161, createPairBudget());
    const often = sumBetweenJobs(new Array(40).fill(field), 161, createPairBudget());
    expect((often ?? 0) / (twice ?? 1) / ((40 * 39) / 2)).toBeCloseTo(1, 9);
  });

  it('have no sum if they exceed the budget', async () => {
    expect(sumBetweenJobs(await makeCopies(9, 32), 161, { steps: 1_000 })).toBeNull();
  });
});

describe('the nodes of a field', () => {
  it('are hundreds, but at most 1,024, and hold all of its errors', async () => {
    const { nodes } = await fieldOf({ col: 3, row: 5, width: 400, height: 400 }, 40);
    const count = (nodes?.values.length ?? 0) / NUMBERS_PER_NODE;
    expect(count).toBeGreaterThan(400);
    expect(count).toBeLessThanOrEqual(1_024);
    const whole = cellsOf({ col: 3, row: 5, width: 400, height: 400 });
    const sum = Array.from(
      { length: count },
      (_, i) => nodes?.values[i * NUMBERS_PER_NODE + 3] ?? 0,
    );
    const expected = whole.reduce((all, { error }) => all + error, 0);
    expect(sum.reduce((all, value) => all + value, 0) / expected).toBeCloseTo(1, 5);
  });
});
