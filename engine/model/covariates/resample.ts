import type { CellWindow, PlacedRaster } from './place-on-grid.ts';

export type Resampling = 'nearest' | 'bilinear';

/** Raster cells in memory at a time: 32 MiB of float32. */
const MAX_SOURCE_CELLS = 2 ** 23;
/** Grid cells processed at a time: 4 MiB for their positions. */
const MAX_CELLS = 2 ** 18;

/** Added to a position before it is rounded down, as in GDAL's warper: a centre on an edge belongs to the next cell. */
const EDGE = 1e-10;

/**
 * A raster's values at the centres of the window's cells, row-major; NaN where missing.
 *
 * `nearest` takes the cell that contains the centre. `bilinear` interpolates the four cell centres around it,
 * and ignores cells that are missing or outside the raster. If the cell that contains the centre is missing, so
 * is the value: a mask neither grows nor shrinks.
 *
 * @param read reads a rectangle of the level
 */
export async function resample(
  placed: PlacedRaster,
  method: Resampling,
  read: (rectangle: CellWindow) => Promise<Float32Array>,
  window: CellWindow,
): Promise<Float32Array> {
  const values = new Float32Array(window.width * window.height).fill(Number.NaN);
  const parts = [window];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (part.width * part.height > MAX_CELLS) {
      parts.push(...halveWindow(part));
      continue;
    }
    const positions = listPositions(placed, part);
    const under = findRectangleUnder(placed, positions);
    if (under === null) continue;
    if (under.width * under.height > MAX_SOURCE_CELLS && part.width * part.height > 1) {
      parts.push(...halveWindow(part));
      continue;
    }
    const source = { ...under, cells: await readAround(placed, read, under) };
    const sampled =
      method === 'nearest' ? sampleNearest(source, positions) : sampleBilinear(source, positions);
    for (let row = 0; row < part.height; row += 1) {
      const to = (part.row - window.row + row) * window.width + part.col - window.col;
      values.set(sampled.subarray(row * part.width, (row + 1) * part.width), to);
    }
  }
  return values;
}

function halveWindow({ col, row, width, height }: CellWindow): readonly CellWindow[] {
  if (height >= width) {
    const top = Math.ceil(height / 2);
    return [
      { col, row, width, height: top },
      { col, row: row + top, width, height: height - top },
    ];
  }
  const left = Math.ceil(width / 2);
  return [
    { col, row, width: left, height },
    { col: col + left, row, width: width - left, height },
  ];
}

/** Reads a rectangle that may wrap past the last column of a global raster. */
async function readAround(
  { columnsAround }: PlacedRaster,
  read: (rectangle: CellWindow) => Promise<Float32Array>,
  rectangle: CellWindow,
): Promise<Float32Array> {
  const { col, row, width, height } = rectangle;
  if (columnsAround === null) return read(rectangle);
  const cells = new Float32Array(width * height);
  for (let done = 0; done < width; ) {
    const from = (((col + done) % columnsAround) + columnsAround) % columnsAround;
    const some = Math.min(columnsAround - from, width - done);
    const part = await read({ col: from, row, width: some, height });
    if (some === width) return part;
    for (let y = 0; y < height; y += 1) {
      cells.set(part.subarray(y * some, (y + 1) * some), y * width + done);
    }
    done += some;
  }
  return cells;
}

/** x and y of each cell's centre on the raster's level; on a global raster x is unwrapped. */
function listPositions(
  { positionOf, isAligned, columnsAround }: PlacedRaster,
  { col, row, width, height }: CellWindow,
): Float64Array {
  const positions = new Float64Array(2 * width * height);
  // On an aligned raster x depends only on the column and y only on the row.
  const first = Array.from({ length: width }, (_, c) => positionOf(col + c + 0.5, row + 0.5));
  let at = 0;
  for (let r = 0; r < height; r += 1) {
    const y = positionOf(col + 0.5, row + r + 0.5)[1];
    for (let c = 0; c < width; c += 1, at += 2) {
      const place = isAligned ? first[c] : positionOf(col + c + 0.5, row + r + 0.5);
      positions[at] = place?.[0] ?? Number.NaN;
      positions[at + 1] = isAligned ? y : (place?.[1] ?? Number.NaN);
    }
  }
  if (columnsAround !== null) unwrapPositions(positions, columnsAround);
  return positions;
}

/** Shifts each x by a multiple of `width` to be as near as possible to the first. */
function unwrapPositions(positions: Float64Array, width: number): void {
  let first = Number.NaN;
  for (let i = 0; i < positions.length; i += 2) {
    const x = positions[i] ?? Number.NaN;
    if (Number.isNaN(first)) first = x;
    positions[i] = x + width * Math.round((first - x) / width);
  }
}

/**
 * The rectangle of raster cells around all positions, clipped to the raster (on a global raster the
 * columns wrap); null if no position lies on the raster.
 */
function findRectangleUnder(
  { level, columnsAround }: PlacedRaster,
  positions: Float64Array,
): CellWindow | null {
  const isGlobal = columnsAround !== null;
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 2) {
    const x = positions[i] ?? Number.NaN;
    const y = positions[i + 1] ?? Number.NaN;
    if (!(y >= -1 && y <= level.height + 1 && Number.isFinite(x))) continue;
    if (!isGlobal && (x < -1 || x > level.width + 1)) continue;
    if (x < west) west = x;
    if (x > east) east = x;
    if (y < north) north = y;
    if (y > south) south = y;
  }
  const col = isGlobal ? Math.floor(west - 0.5) : Math.max(Math.floor(west - 0.5), 0);
  const row = Math.max(Math.floor(north - 0.5), 0);
  const end = Math.floor(east + 0.5) + 1;
  const width = (isGlobal ? end : Math.min(end, level.width)) - col;
  const height = Math.min(Math.floor(south + 0.5) + 1, level.height) - row;
  return width > 0 && height > 0 ? { col, row, width, height } : null;
}

interface Source extends CellWindow {
  readonly cells: Float32Array;
}

function cellAt({ col, row, width, height, cells }: Source, x: number, y: number): number {
  const c = x - col;
  const r = y - row;
  return c >= 0 && r >= 0 && c < width && r < height ? (cells[r * width + c] ?? NaN) : NaN;
}

function sampleNearest(source: Source, positions: Float64Array): Float32Array {
  const values = new Float32Array(positions.length / 2);
  for (let i = 0; i < values.length; i += 1) {
    const x = positions[2 * i] ?? Number.NaN;
    const y = positions[2 * i + 1] ?? Number.NaN;
    values[i] = cellAt(source, Math.floor(x + EDGE), Math.floor(y + EDGE));
  }
  return values;
}

function sampleBilinear(source: Source, positions: Float64Array): Float32Array {
  const { col, row, width, height, cells } = source;
  const values = new Float32Array(positions.length / 2);
  for (let i = 0; i < values.length; i += 1) {
    const x = (positions[2 * i] ?? Number.NaN) - 0.5;
    const y = (positions[2 * i + 1] ?? Number.NaN) - 0.5;
    const west = Math.floor(x);
    const north = Math.floor(y);
    const right = x - west;
    const low = y - north;
    let value = Number.NaN;
    if (west >= col && north >= row && west + 1 < col + width && north + 1 < row + height) {
      const at = (north - row) * width + west - col;
      const upper = (cells[at] ?? NaN) * (1 - right) + (cells[at + 1] ?? NaN) * right;
      const below = at + width;
      const lower = (cells[below] ?? NaN) * (1 - right) + (cells[below + 1] ?? NaN) * right;
      value = upper * (1 - low) + lower * low;
    }
    values[i] = Number.isNaN(value) ? interpolatePresent(source, x, y) : value;
  }
  return values;
}

/**
 * Interpolates between the cells that have a value, of the four around the point; NaN if the cell that contains
 * the point is missing.
 */
function interpolatePresent(source: Source, x: number, y: number): number {
  const containing = cellAt(source, Math.floor(x + 0.5 + EDGE), Math.floor(y + 0.5 + EDGE));
  if (Number.isNaN(containing)) return Number.NaN;
  const west = Math.floor(x);
  const north = Math.floor(y);
  let sum = 0;
  let weights = 0;
  for (let corner = 0; corner < 4; corner += 1) {
    const [across, down] = [corner & 1, corner >> 1];
    const right = x - west;
    const low = y - north;
    const weight = (across ? right : 1 - right) * (down ? low : 1 - low);
    const value = cellAt(source, west + across, north + down);
    if (weight > 0 && !Number.isNaN(value)) {
      sum += weight * value;
      weights += weight;
    }
  }
  return sum / weights;
}
