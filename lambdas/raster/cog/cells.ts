/** A rectangle of cells, bands interleaved by pixel: cells[(row * width + col) * bands + band]. */
export interface Cells {
  readonly cells: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** A rectangle of nodata. */
export function emptyCells(width: number, height: number, bands: number, nodata: number): Cells {
  return { cells: new Float32Array(width * height * bands).fill(nodata), width, height };
}

/** Copies all of `from` into `into` at (col, row); what would lie outside is left out. */
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

/** The square tile at (col, row) of `source`, padded with nodata beyond its edge. */
export function cutTile(
  source: Cells,
  col: number,
  row: number,
  tileSize: number,
  bands: number,
  nodata: number,
): Cells {
  const tile = emptyCells(tileSize, tileSize, bands, nodata);
  const width = Math.min(tileSize, source.width - col);
  const height = Math.min(tileSize, source.height - row);
  for (let y = 0; y < height; y += 1) {
    const start = ((row + y) * source.width + col) * bands;
    tile.cells.set(source.cells.subarray(start, start + width * bands), y * tileSize * bands);
  }
  return tile;
}

/**
 * Half the size, ceil(n / 2): each cell the mean of those of its 2 × 2 that are not nodata, band by
 * band; nodata where all four are. GDAL's AVERAGE bit for bit at even sizes; at odd ones GDAL
 * stretches (n cells over ceil(n / 2)), which no block could do without its neighbours.
 */
export function halve(source: Cells, bands: number, nodata: number): Cells {
  const half = emptyCells(Math.ceil(source.width / 2), Math.ceil(source.height / 2), bands, nodata);
  for (let y = 0; y < half.height; y += 1) {
    const rows = y * 2 + 1 < source.height ? 2 : 1;
    for (let x = 0; x < half.width; x += 1) {
      const cols = x * 2 + 1 < source.width ? 2 : 1;
      for (let band = 0; band < bands; band += 1) {
        let sum = 0;
        let count = 0;
        for (let dy = 0; dy < rows; dy += 1) {
          const start = ((y * 2 + dy) * source.width + x * 2) * bands + band;
          for (let dx = 0; dx < cols; dx += 1) {
            const value = source.cells[start + dx * bands] ?? nodata;
            if (value === nodata) continue;
            sum += value;
            count += 1;
          }
        }
        if (count > 0) half.cells[(y * half.width + x) * bands + band] = sum / count;
      }
    }
  }
  return half;
}
