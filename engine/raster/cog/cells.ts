import { createSamples, type SampleArray, type SampleType } from './sample-type.ts';

/** A rectangle of cells, bands interleaved by pixel: cells[(row * width + col) * bands + band]. */
export interface Cells {
  readonly cells: SampleArray;
  readonly width: number;
  readonly height: number;
}

export interface CellKind {
  readonly sampleType: SampleType;
  readonly bands: number;
  readonly nodata: number;
}

export function createEmptyCells(width: number, height: number, kind: CellKind): Cells {
  const cells = createSamples(kind.sampleType, width * height * kind.bands).fill(kind.nodata);
  return { cells, width, height };
}

/** Clipped to `into`. */
export function pasteCells(
  from: Cells,
  into: Cells,
  col: number,
  row: number,
  bands: number,
): void {
  const width = Math.min(from.width, into.width - col);
  const height = Math.min(from.height, into.height - row);
  for (let y = 0; y < height; y += 1) {
    const start = y * from.width * bands;
    const target = ((row + y) * into.width + col) * bands;
    into.cells.set(from.cells.subarray(start, start + width * bands), target);
  }
}

export function viewRows(
  { cells, width }: Cells,
  row: number,
  height: number,
  bands: number,
): Cells {
  const rowLength = width * bands;
  return { cells: cells.subarray(row * rowLength, (row + height) * rowLength), width, height };
}
