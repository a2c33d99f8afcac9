import { apexSize, ownLevels } from './block-index.ts';
import { type Cells, cutTile, emptyCells, halve, pasteCells } from './cells.ts';
import type { BlockTable, CogBlock } from './placed-block.ts';
import type { BlockSource } from './ports.ts';
import { levelsOf, type RasterDescription } from './raster.ts';
import { encodeTile, frameTile } from './tile.ts';

/** Framed tiles of the overviews above the blocks' own; absent where no block is below. */
export interface Apex {
  readonly tile: (level: number, col: number, row: number) => Uint8Array | undefined;
}

/**
 * Makes the overviews that span blocks, from each block's last cells, one tile after another depth
 * first: cells of four tiles a level are held, and the finished (compressed) tiles.
 */
export async function buildApex(
  raster: RasterDescription,
  table: BlockTable,
  source: BlockSource,
): Promise<Apex> {
  const tiles = new Map<string, Uint8Array>();
  const top = levelsOf(raster).at(-1);
  const own = ownLevels(raster.blockTiles);
  const bands = raster.bands.length;
  const nodata = Math.fround(raster.nodata);

  /** The tile's area at half its size. */
  async function halfOf(level: number, col: number, row: number): Promise<Cells | null> {
    if (level === own) {
      const block = table.at(col, row);
      return block === undefined ? null : readApexCells(block, table, source);
    }
    const tile = await build(level, col, row);
    return tile === null ? null : halve(tile, bands, nodata);
  }

  async function build(level: number, col: number, row: number): Promise<Cells | null> {
    const quarters = [0, 1, 2, 3].map((i) => [i % 2, Math.floor(i / 2)] as const);
    const size = tileExtent(raster, level, col, row);
    if (size.width === 0 || size.height === 0) return null;
    const cells = emptyCells(size.width, size.height, bands, nodata);
    let any = false;
    for (const [x, y] of quarters) {
      const half = await halfOf(level - 1, col * 2 + x, row * 2 + y);
      if (half === null) continue;
      any = true;
      pasteCells(half, cells, (x * raster.tileSize) / 2, (y * raster.tileSize) / 2, bands);
    }
    if (!any) return null;
    const padded = cutTile(cells, 0, 0, raster.tileSize, bands, nodata);
    tiles.set(`${level}/${col}/${row}`, frameTile(encodeTile(padded, bands)));
    return cells;
  }

  if (top !== undefined && top.level > own) {
    for (let row = 0; row < top.rows; row += 1) {
      for (let col = 0; col < top.cols; col += 1) await build(top.level, col, row);
    }
  }
  return { tile: (level, col, row) => tiles.get(`${level}/${col}/${row}`) };
}

/** Cells of a tile that are the raster's; none for a tile past its end. */
function tileExtent(raster: RasterDescription, level: number, col: number, row: number) {
  const within = (cells: number, place: number): number =>
    Math.max(Math.min(Math.ceil(cells / 2 ** level) - place * raster.tileSize, raster.tileSize), 0);
  return { width: within(raster.width, col), height: within(raster.height, row) };
}

async function readApexCells(
  block: CogBlock,
  table: BlockTable,
  source: BlockSource,
): Promise<Cells> {
  const { width, height } = apexSize(block.index);
  const length = width * height * block.index.bands * Float32Array.BYTES_PER_ELEMENT;
  const bytes = await source.read(block.ref, table.apexOffset(block), length);
  if (bytes.length !== length) {
    throw new RangeError(`${block.ref} gave ${bytes.length} bytes of its apex's ${length}`);
  }
  // A copy: the view need not begin where a float may.
  return { cells: new Float32Array(bytes.slice().buffer), width, height };
}
