import type { Cells } from './cells.ts';

/** Statistics of the cells of one band that are not nodata; min and max are null if there are no such cells. */
export interface BandStatistics {
  readonly count: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number;
  readonly squaredDeviations: number;
}

const NO_STATISTICS: BandStatistics = {
  count: 0,
  min: null,
  max: null,
  mean: 0,
  squaredDeviations: 0,
};

/**
 * Computes the statistics row by row, with a separate mean for each row, so that a small spread
 * around a large mean stays accurate.
 * @throws RangeError for a cell that is not finite
 */
export function computeBandStatistics(
  source: Cells,
  bands: number,
  nodata: number,
): BandStatistics[] {
  const rowLength = source.width * bands;
  return Array.from({ length: bands }, (_, band) => {
    let all = NO_STATISTICS;
    for (let row = 0; row < source.height; row += 1) {
      all = mergeTwo(
        all,
        computeRowStatistics(source, row * rowLength + band, (row + 1) * rowLength, bands, nodata),
      );
    }
    return all;
  });
}

function computeRowStatistics(
  { cells, width }: Cells,
  from: number,
  end: number,
  step: number,
  nodata: number,
): BandStatistics {
  let count = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (let i = from; i < end; i += step) {
    const value = cells[i] ?? nodata;
    if (value === nodata) continue;
    count += 1;
    if (value < min) min = value;
    if (value > max) max = value;
    sum += value;
  }
  if (count === 0) return NO_STATISTICS;
  // One test per row: a value that is not finite makes the sum not finite.
  if (!Number.isFinite(sum)) throw notFiniteError(cells.length, from, step, width, sum);
  const mean = sum / count;
  let squaredDeviations = 0;
  for (let i = from; i < end; i += step) {
    const value = cells[i] ?? nodata;
    if (value !== nodata) squaredDeviations += (value - mean) * (value - mean);
  }
  return { count, min, max, mean, squaredDeviations };
}

function notFiniteError(
  length: number,
  from: number,
  bands: number,
  width: number,
  sum: number,
): RangeError {
  const row = Math.floor(from / (width * bands));
  return new RangeError(
    `row ${row} of ${length / (width * bands)}, band ${from % bands}: a cell is not finite (the sum of the row is ${sum})`,
  );
}

/**
 * Merges in the given order, because sums of floats depend on the order and the same blocks must give the same
 * bytes.
 */
export function mergeStatistics(parts: readonly BandStatistics[]): BandStatistics {
  return parts.reduce(mergeTwo, NO_STATISTICS);
}

/** T. F. Chan, G. H. Golub and R. J. LeVeque, Am. Stat. 37 (1983) 242–247, equation 2.1. */
function mergeTwo(a: BandStatistics, b: BandStatistics): BandStatistics {
  if (b.count === 0) return a;
  if (a.count === 0) return b;
  const count = a.count + b.count;
  const apart = b.mean - a.mean;
  return {
    count,
    min: Math.min(a.min ?? Infinity, b.min ?? Infinity),
    max: Math.max(a.max ?? -Infinity, b.max ?? -Infinity),
    mean: a.mean + (apart * b.count) / count,
    squaredDeviations:
      a.squaredDeviations + b.squaredDeviations + (apart * apart * a.count * b.count) / count,
  };
}

/** The standard deviation of the population, like GDAL's STATISTICS_STDDEV. */
export function standardDeviation({ count, squaredDeviations }: BandStatistics): number {
  return count === 0 ? 0 : Math.sqrt(squaredDeviations / count);
}
