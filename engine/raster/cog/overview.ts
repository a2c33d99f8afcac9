import type { Cells } from './cells.ts';
import { adjacentSample, type SampleArray, sampleTypeOf } from './sample-type.ts';

/**
 * How an overview cell derives from the four cells below it. `average`: their mean; `mode`: their
 * most frequent value; `nearest`: the first one. Only `nearest` takes nodata cells into account.
 */
export const RESAMPLINGS = ['average', 'nearest', 'mode'] as const;
export type Resampling = (typeof RESAMPLINGS)[number];

export interface Halving {
  /** One per band. */
  readonly resampling: readonly Resampling[];
  readonly nodata: number;
}

/**
 * Writes `source` at half its size, ceil(n / 2), to `target` from `row` on. An odd last row or column
 * counts twice. Equals GDAL's AVERAGE, NEAREST and MODE bit for bit: integer means are rounded half
 * away from zero, and a mean that equals nodata is replaced by the adjacent number.
 */
export function halveInto(
  source: Cells,
  target: Cells,
  row: number,
  { resampling, nodata }: Halving,
): void {
  const bands = resampling.length;
  const rowLength = source.width * bands;
  const width = Math.ceil(source.width / 2);
  const sampleType = sampleTypeOf(source.cells);
  const means = {
    rounds: sampleType !== 'float32',
    insteadOfNodata: adjacentSample(sampleType, nodata),
  };
  for (let y = 0; y * 2 < source.height; y += 1) {
    const top = y * 2 * rowLength;
    const bottom = y * 2 + 1 < source.height ? top + rowLength : top;
    const to = (row + y) * target.width * bands;
    for (let band = 0; band < bands; band += 1) {
      const pair: RowPair = {
        from: source.cells,
        top: top + band,
        bottom: bottom + band,
        columns: source.width,
        step: bands,
        nodata,
        into: target.cells,
        to: to + band,
        width,
      };
      const kind = resampling[band];
      if (kind === 'average') averagePair(pair, means);
      else if (kind === 'mode') takeModes(pair);
      else takeNearest(pair);
    }
  }
}

interface RowPair {
  readonly from: SampleArray;
  readonly top: number;
  readonly bottom: number;
  readonly columns: number;
  /** Array distance from one cell of the band to the next. */
  readonly step: number;
  readonly nodata: number;
  readonly into: SampleArray;
  readonly to: number;
  readonly width: number;
}

interface Means {
  readonly rounds: boolean;
  readonly insteadOfNodata: number;
}

function averagePair(pair: RowPair, { rounds, insteadOfNodata }: Means): void {
  const { from, top, bottom, columns, step, nodata, into, to, width } = pair;
  for (let x = 0; x < width; x += 1) {
    const left = x * 2 * step;
    const right = x * 2 + 1 < columns ? left + step : left;
    const a = from[top + left] ?? nodata;
    const b = from[top + right] ?? nodata;
    const c = from[bottom + left] ?? nodata;
    const d = from[bottom + right] ?? nodata;
    const at = to + x * step;
    if (a === nodata && b === nodata && c === nodata && d === nodata) {
      into[at] = nodata;
      continue;
    }
    const whole = a !== nodata && b !== nodata && c !== nodata && d !== nodata;
    const mean = whole ? (a + b + c + d) / 4 : meanOfValid(a, b, c, d, nodata);
    const stored = rounds ? roundAwayFromZero(mean) : Math.fround(mean);
    into[at] = stored === nodata ? insteadOfNodata : stored;
  }
}

function roundAwayFromZero(value: number): number {
  return value < 0 ? -Math.floor(0.5 - value) : Math.floor(value + 0.5);
}

function meanOfValid(a: number, b: number, c: number, d: number, nodata: number): number {
  let sum = 0;
  let count = 0;
  if (a !== nodata) {
    sum += a;
    count += 1;
  }
  if (b !== nodata) {
    sum += b;
    count += 1;
  }
  if (c !== nodata) {
    sum += c;
    count += 1;
  }
  if (d !== nodata) {
    sum += d;
    count += 1;
  }
  return sum / count;
}

/** A tie goes to the value that reaches its count first, in row-major order. */
function takeModes({ from, top, bottom, columns, step, nodata, into, to, width }: RowPair): void {
  for (let x = 0; x < width; x += 1) {
    const left = x * 2 * step;
    const right = x * 2 + 1 < columns ? left + step : left;
    const a = from[top + left] ?? nodata;
    const b = from[top + right] ?? nodata;
    const c = from[bottom + left] ?? nodata;
    const d = from[bottom + right] ?? nodata;
    into[to + x * step] = modeOfFour(a, b, c, d, nodata);
  }
}

function modeOfFour(a: number, b: number, c: number, d: number, nodata: number): number {
  if (a !== nodata && (a === b || a === c)) return a;
  if (b !== nodata && b === c) return b;
  if (d !== nodata && (d === a || d === b || d === c)) return d;
  if (a !== nodata) return a;
  if (b !== nodata) return b;
  return c !== nodata ? c : d;
}

function takeNearest({ from, top, step, into, to, width }: RowPair): void {
  for (let x = 0; x < width; x += 1) into[to + x * step] = from[top + x * 2 * step] ?? 0;
}
