import {
  type BlockIndex,
  countOwnLevels,
  countTilesAt,
  locateTiles,
  type TilePlace,
} from './block-index.ts';
import { type RasterDescription, tileKindOf } from './raster.ts';

export interface CogBlock {
  /** The caller's name for the block's bytes. */
  readonly ref: string;
  /** The block's first column, counted from the corner of the raster, not of the grid. */
  readonly col: number;
  readonly row: number;
  readonly index: BlockIndex;
}

export interface BlockTable {
  /** Sorted by row, then column. */
  readonly blocks: readonly CogBlock[];
  /** Column and row are counted in blocks. */
  readonly findBlock: (blockCol: number, blockRow: number) => CogBlock | undefined;
  /** The position of a tile in its block's bytes, for the blocks' own levels. */
  readonly tile: (level: number, col: number, row: number) => StoredTile | undefined;
  readonly apexOffset: (block: CogBlock) => number;
}

export interface StoredTile extends TilePlace {
  readonly ref: string;
}

/** @throws RangeError if the blocks do not fit the raster or overlap */
export function buildBlockTable(raster: RasterDescription, given: readonly CogBlock[]): BlockTable {
  const edge = raster.tileSize * raster.blockTiles;
  const blocks = [...given].sort((a, b) => a.row - b.row || a.col - b.col);
  const byPlace = new Map<string, CogBlock>();
  for (const block of blocks) {
    requireValidBlock(block, raster, edge);
    const key = `${block.col / edge},${block.row / edge}`;
    const twin = byPlace.get(key);
    if (twin !== undefined) throw new RangeError(`blocks ${twin.ref} and ${block.ref} overlap`);
    byPlace.set(key, block);
  }
  const places = new Map(blocks.map((block) => [block, locateTiles(block.index)]));
  const findBlock = (col: number, row: number): CogBlock | undefined =>
    byPlace.get(`${col},${row}`);
  return {
    blocks,
    findBlock,
    tile: (level, col, row) => {
      const blockEdge = 2 ** (countOwnLevels(raster.blockTiles) - level);
      const block = findBlock(Math.floor(col / blockEdge), Math.floor(row / blockEdge));
      if (block === undefined) return undefined;
      const { cols, rows } = countTilesAt(block.index, level);
      const [x, y] = [col % blockEdge, row % blockEdge];
      // Outside the block's tiles lies the padding of `padForHalving`.
      if (x >= cols || y >= rows) return undefined;
      const place = places.get(block)?.levels[level]?.[y * cols + x];
      return place === undefined ? undefined : { ...place, ref: block.ref };
    },
    apexOffset: (block) => places.get(block)?.apexOffset ?? 0,
  };
}

function requireValidBlock(
  { ref, col, row, index }: CogBlock,
  raster: RasterDescription,
  edge: number,
) {
  const { bands, sampleType, compression } = tileKindOf(raster);
  const fits =
    index.bands === bands &&
    index.sampleType === sampleType &&
    index.compression === compression &&
    index.tileSize === raster.tileSize &&
    index.blockTiles === raster.blockTiles &&
    col >= 0 &&
    row >= 0 &&
    col % edge === 0 &&
    row % edge === 0 &&
    index.width === Math.min(edge, raster.width - col) &&
    index.height === Math.min(edge, raster.height - row);
  if (fits) return;
  throw new RangeError(
    `block ${ref} (${index.width} × ${index.height} ${index.sampleType} cells of ${index.bands} bands at ${col}, ${row}, ${index.compression}) does not fit a raster of ${raster.width} × ${raster.height} ${sampleType} cells of ${bands} bands in blocks of ${edge}, ${compression}`,
  );
}
