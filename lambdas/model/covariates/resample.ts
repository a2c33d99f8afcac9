import type { CellWindow } from './cell-window.ts';
import type { PlacedRaster } from './place-on-grid.ts';

export type Resampling = 'nearest' | 'bilinear';

/** Cells of the raster held at a time: 32 MiB of float32. */
const MAX_SOURCE_CELLS = 2 ** 23;
/** Cells of the grid at a time: 4 MiB for their positions. */
const MAX_CELLS = 2 ** 18;

/** GDAL's warper adds as much before it cuts: a centre on an edge belongs to the next cell. */
const EDGE = 1e-10;

/**
 * A raster's values at the centres of the window's cells, row-major; NaN where there is none.
 *
 * `nearest` takes the cell that the centre lies in. `bilinear` weighs the four cell centres around
 * it; of these, missing ones and those outside the raster do not count, and where the cell that the
 * centre lies in is missing the value is: a mask neither grows nor shrinks.
 *
 * @param read the level's cells of a rectangle within it
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
      parts.push(...halves(part));
      continue;
    }
    const positions = positionsOf(placed, part);
    const under = rectangleUnder(placed, positions);
    if (under === null) continue;
    if (under.width * under.height > MAX_SOURCE_CELLS && part.width * part.height > 1) {
      parts.push(...halves(part));
      continue;
    }
    const source = { ...under, cells: await read(under) };
    const sample = method === 'nearest' ? nearest : bilinear;
    for (let i = 0; i < part.width * part.height; i += 1) {
      const [x = Number.NaN, y = Number.NaN] = [positions[2 * i], positions[2 * i + 1]];
      const row = part.row - window.row + Math.floor(i / part.width);
      const col = part.col - window.col + (i % part.width);
      values[row * window.width + col] = sample(source, x, y);
    }
  }
  return values;
}

function halves({ col, row, width, height }: CellWindow): readonly CellWindow[] {
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

/** x and y on the raster's level of each cell's centre. */
function positionsOf({ positionOf }: PlacedRaster, part: CellWindow): Float64Array {
  const positions = new Float64Array(2 * part.width * part.height);
  let at = 0;
  for (let row = part.row; row < part.row + part.height; row += 1) {
    for (let col = part.col; col < part.col + part.width; col += 1) {
      const [x, y] = positionOf(col + 0.5, row + 0.5);
      positions[at++] = x;
      positions[at++] = y;
    }
  }
  return positions;
}

/** The cells around all positions, within the raster; null where it has none of them. */
function rectangleUnder({ level }: PlacedRaster, positions: Float64Array): CellWindow | null {
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 2) {
    const x = positions[i] ?? Number.NaN;
    const y = positions[i + 1] ?? Number.NaN;
    // Points outside the raster have no value, whatever lies around them.
    if (!(x >= -1 && y >= -1 && x <= level.width + 1 && y <= level.height + 1)) continue;
    if (x < west) west = x;
    if (x > east) east = x;
    if (y < north) north = y;
    if (y > south) south = y;
  }
  const col = Math.max(Math.floor(west - 0.5), 0);
  const row = Math.max(Math.floor(north - 0.5), 0);
  const width = Math.min(Math.floor(east + 0.5) + 1, level.width) - col;
  const height = Math.min(Math.floor(south + 0.5) + 1, level.height) - row;
  return width > 0 && height > 0 ? { col, row, width, height } : null;
}

interface Source extends CellWindow {
  readonly cells: Float32Array;
}

function cellAt({ col, row, width, height, cells }: Source, x: number, y: number): number {
  const [c, r] = [x - col, y - row];
  return c >= 0 && r >= 0 && c < width && r < height ? (cells[r * width + c] ?? NaN) : NaN;
}

function nearest(source: Source, x: number, y: number): number {
  return cellAt(source, Math.floor(x + EDGE), Math.floor(y + EDGE));
}

function bilinear(source: Source, x: number, y: number): number {
  if (Number.isNaN(nearest(source, x, y))) return Number.NaN;
  const west = Math.floor(x - 0.5);
  const north = Math.floor(y - 0.5);
  const right = x - 0.5 - west;
  const low = y - 0.5 - north;
  let sum = 0;
  let weights = 0;
  for (let corner = 0; corner < 4; corner += 1) {
    const [across, down] = [corner & 1, corner >> 1];
    const weight = (across ? right : 1 - right) * (down ? low : 1 - low);
    const value = cellAt(source, west + across, north + down);
    if (weight > 0 && !Number.isNaN(value)) {
      sum += weight * value;
      weights += weight;
    }
  }
  return sum / weights;
}
