import { type BlockIndex, ownLevels, tilesAt } from './block-index.ts';
import { type Cells, cutTile, halve } from './cells.ts';
import { bandStatistics } from './statistics.ts';
import { encodeTile, frameTile } from './tile.ts';

export interface BlockCells {
  /** Pixel-interleaved: cells[(row * width + col) * bands + band]; width × height × bands values. */
  readonly cells: Float32Array;
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly nodata: number;
  /** Edge of a tile in cells. */
  readonly tileSize: number;
  /** Edge of a whole block in tiles, a power of two; blocks at the raster's end may be smaller. */
  readonly blockTiles: number;
}

export interface EncodedBlock {
  readonly bytes: Uint8Array;
  readonly index: BlockIndex;
}

/**
 * One block of a raster, ready to be joined with others by copies alone: its tiles, its own
 * overviews, the cells for the overviews above, statistics. The same cells give the same bytes.
 * Throws RangeError at sizes that do not fit and at cells that are not finite.
 */
export function encodeBlock(block: BlockCells): EncodedBlock {
  const { width, height, bands, tileSize, blockTiles } = block;
  checkSizes(block);
  const nodata = Math.fround(block.nodata);
  let level: Cells = block;
  const statistics = bandStatistics(level, bands, nodata);
  const pieces: Uint8Array[] = [];
  const tileBytes: number[][] = [];
  for (let depth = 0; depth <= ownLevels(blockTiles); depth += 1) {
    const lengths: number[] = [];
    const { cols, rows } = tilesAt(block, depth);
    for (let tile = 0; tile < cols * rows; tile += 1) {
      const col = (tile % cols) * tileSize;
      const row = Math.floor(tile / cols) * tileSize;
      const data = encodeTile(cutTile(level, col, row, tileSize, bands, nodata), bands);
      lengths.push(data.length);
      pieces.push(frameTile(data));
    }
    tileBytes.push(lengths);
    level = halve(level, bands, nodata);
  }
  const apex = level.cells;
  pieces.push(new Uint8Array(apex.buffer, apex.byteOffset, apex.byteLength));
  return {
    bytes: joinBytes(pieces),
    index: {
      format: 'soil-block/1',
      width,
      height,
      bands,
      tileSize,
      blockTiles,
      tileBytes,
      statistics,
    },
  };
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    joined.set(piece, offset);
    offset += piece.length;
  }
  return joined;
}

function checkSizes({
  cells,
  width,
  height,
  bands,
  tileSize,
  blockTiles,
  nodata,
}: BlockCells): void {
  const edge = tileSize * blockTiles;
  if (!Number.isInteger(Math.log2(blockTiles)) || tileSize % 16 !== 0 || tileSize <= 0) {
    throw new RangeError(`tiles of ${tileSize} cells, blocks of ${blockTiles} tiles`);
  }
  if (width < 1 || height < 1 || width > edge || height > edge) {
    throw new RangeError(`a block of ${width} × ${height} cells; at most ${edge} × ${edge}`);
  }
  if (bands < 1 || bands > 32 || cells.length !== width * height * bands) {
    throw new RangeError(`${cells.length} values for ${width} × ${height} cells of ${bands} bands`);
  }
  if (!Number.isFinite(Math.fround(nodata))) {
    throw new RangeError(`nodata ${nodata} is not a finite float32`);
  }
}
