import type { Cells } from './cells.ts';

/** Over the cells of one band that are not nodata; min and max are null where there is none. */
export interface BandStatistics {
  readonly count: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly sum: number;
  readonly sumOfSquares: number;
}

const NONE: BandStatistics = { count: 0, min: null, max: null, sum: 0, sumOfSquares: 0 };

/** Throws RangeError at a cell that is not finite: it would poison overviews and statistics. */
export function bandStatistics(source: Cells, bands: number, nodata: number): BandStatistics[] {
  return Array.from({ length: bands }, (_, band) => {
    let [count, min, max, sum, sumOfSquares] = [0, Infinity, -Infinity, 0, 0];
    for (let i = band; i < source.cells.length; i += bands) {
      const value = source.cells[i] ?? nodata;
      if (value === nodata) continue;
      if (!Number.isFinite(value)) {
        throw new RangeError(`cell ${(i - band) / bands} of band ${band} is ${value}`);
      }
      count += 1;
      if (value < min) min = value;
      if (value > max) max = value;
      sum += value;
      sumOfSquares += value * value;
    }
    return count === 0 ? NONE : { count, min, max, sum, sumOfSquares };
  });
}

/** In the order given: sums of floats depend on it, and the same blocks must give the same bytes. */
export function mergeStatistics(parts: readonly BandStatistics[]): BandStatistics {
  return parts.reduce(
    (a, b) => ({
      count: a.count + b.count,
      min: least(a.min, b.min),
      max: most(a.max, b.max),
      sum: a.sum + b.sum,
      sumOfSquares: a.sumOfSquares + b.sumOfSquares,
    }),
    NONE,
  );
}

/** Of the population, as GDAL's STATISTICS_STDDEV. */
export function standardDeviation({ count, sum, sumOfSquares }: BandStatistics): number {
  if (count === 0) return 0;
  const mean = sum / count;
  return Math.sqrt(Math.max(sumOfSquares / count - mean * mean, 0));
}

function least(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

function most(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
