import { describe, expect, it } from 'vitest';
import { chooseNodeEdges, findReach } from '../../../../engine/raster/summary/correlation.ts';

const square = (metres: number) => ({ cc: metres ** 2, cr: 0, rr: metres ** 2 });
const declareCorrelation = (rangeMetres: number) => ({ nugget: 0.3, rangeMetres });

describe('the width of a node', () => {
  const window = { width: 100_000, height: 100_000 };

  it('is one cell for a job of several million cells', () => {
    const field = { width: 2_000, height: 2_000, pointCount: 4_000_000 };
    expect(chooseNodeEdges(field, square(10), declareCorrelation(150))).toEqual({
      cols: 1,
      rows: 1,
    });
  });

  it('is at most a quarter of the range, in each direction', () => {
    const job = { ...window, pointCount: 1e10 };
    expect(chooseNodeEdges(job, square(10), declareCorrelation(640))).toEqual({
      cols: 16,
      rows: 16,
    });
    expect(chooseNodeEdges(job, square(10), declareCorrelation(639))).toEqual({ cols: 8, rows: 8 });
    const degrees = { cc: 5 ** 2, cr: 0, rr: 10 ** 2 };
    expect(chooseNodeEdges(job, degrees, declareCorrelation(640))).toEqual({ cols: 32, rows: 16 });
  });

  it('is one cell if the cells are coarse', () => {
    const job = { ...window, pointCount: 1e10 };
    expect(chooseNodeEdges(job, square(250), declareCorrelation(150))).toEqual({
      cols: 1,
      rows: 1,
    });
  });

  it('is larger for a range that exceeds the size of the transform', () => {
    const job = { width: 2_000, height: 2_000, pointCount: 1_000 };
    const { cols } = chooseNodeEdges(job, square(10), declareCorrelation(100_000));
    expect(cols).toBe(4);
    expect(2_000 / cols).toBeLessThanOrEqual(512);
  });
});

describe('the reach of the correlation', () => {
  it('is ten ranges', () => {
    expect(findReach(square(10), declareCorrelation(150))).toEqual([150, 150]);
  });

  it('contains the ellipse on a grid that is sheared on the ground', () => {
    const metric = { cc: 100, cr: 60, rr: 100 };
    const [cols, rows] = findReach(metric, declareCorrelation(150));
    for (let turn = 0; turn < 360; turn += 1) {
      const angle = (turn * Math.PI) / 180;
      const [x, y] = [Math.cos(angle), Math.sin(angle)];
      const length = Math.sqrt(metric.cc * x * x + 2 * metric.cr * x * y + metric.rr * y * y);
      expect(Math.abs((1_500 / length) * x)).toBeLessThan(cols + 1);
      expect(Math.abs((1_500 / length) * y)).toBeLessThan(rows + 1);
    }
  });
});
