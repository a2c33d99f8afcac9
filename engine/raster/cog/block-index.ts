import * as z from 'zod/mini';
import { blockSums } from '../summary/block-sums.ts';
import { COMPRESSIONS } from './compression.ts';
import { SAMPLE_TYPES, SAMPLES } from './sample-type.ts';
import { framedLength, maxTileBytes } from './tile.ts';

const count = z.int().check(z.minimum(0));
const positive = z.int().check(z.positive());
const statistics = z.strictObject({
  count,
  min: z.nullable(z.number()),
  max: z.nullable(z.number()),
  mean: z.number(),
  squaredDeviations: z.number().check(z.minimum(0)),
});
/** Four times the largest tile size that a manifest may have. */
const MAX_TILE_SIZE = 4096;

/**
 * The layout of a block's bytes, without gaps: the full-resolution tiles row by row; the tiles of
 * each of the block's own overviews; the apex: raw samples at half the resolution of the last
 * level; the nodes of the job's summary (`block-nodes.ts`). Each tile has a leader and a trailer.
 */
export const BLOCK_FORMAT = 'soil-block/3';

const blockIndexSchema = z.readonly(
  z
    .strictObject({
      format: z.literal(BLOCK_FORMAT),
      width: positive,
      height: positive,
      bands: z.int().check(z.minimum(1), z.maximum(32)),
      sampleType: z.enum(SAMPLE_TYPES),
      compression: z.enum(COMPRESSIONS),
      tileSize: positive.check(z.multipleOf(16), z.maximum(MAX_TILE_SIZE)),
      blockTiles: z.union([1, 2, 4, 8, 16].map((n) => z.literal(n))),
      /** The length of each tile in bytes, without leader and trailer, level by level. */
      tileBytes: z.readonly(z.array(z.readonly(z.array(positive)))),
      statistics: z.readonly(z.array(z.readonly(statistics))),
      /** The block's part of the job's summary; null if the model has no mean. */
      sums: z.nullable(blockSums),
    })
    .check(
      z.refine(
        ({ width, height, tileSize, blockTiles }) =>
          width <= tileSize * blockTiles && height <= tileSize * blockTiles,
        'width and height: at most blockTiles × tileSize',
      ),
      z.refine((index) => {
        const max = maxTileBytes(index);
        return index.tileBytes.every((tiles) => tiles.every((length) => length <= max));
      }, 'tileBytes: no tile may be longer than its uncompressed cells allow'),
      z.refine(
        (index) =>
          index.tileBytes.length === countOwnLevels(index.blockTiles) + 1 &&
          index.tileBytes.every((tiles, level) => {
            const { cols, rows } = countTilesAt(index, level);
            return tiles.length === cols * rows;
          }) &&
          index.statistics.length === index.bands,
        'tileBytes and statistics: counts must match width, height and bands',
      ),
    ),
);

export type BlockIndex = z.infer<typeof blockIndexSchema>;

/** @throws ZodError if the index is not valid */
export function parseBlockIndex(value: unknown): BlockIndex {
  return blockIndexSchema.parse(value);
}

export function isBlockIndex(value: unknown): boolean {
  return blockIndexSchema.safeParse(value).success;
}

/** The number of overviews within a block; the last is a single tile. */
export function countOwnLevels(blockTiles: number): number {
  return Math.log2(blockTiles);
}

type BlockSize = Pick<BlockIndex, 'width' | 'height' | 'tileSize'>;

export function countTilesAt(
  { width, height, tileSize }: BlockSize,
  level: number,
): { readonly cols: number; readonly rows: number } {
  const cells = tileSize * 2 ** level;
  return { cols: Math.ceil(width / cells), rows: Math.ceil(height / cells) };
}

/** The size of the apex, one level above the block's last overview. */
export function sizeOfApex(index: BlockSize & Pick<BlockIndex, 'blockTiles'>): {
  readonly width: number;
  readonly height: number;
} {
  const cells = 2 ** (countOwnLevels(index.blockTiles) + 1);
  return { width: Math.ceil(index.width / cells), height: Math.ceil(index.height / cells) };
}

export interface TilePlace {
  readonly offset: number;
  readonly length: number;
  readonly dataLength: number;
}

export function locateTiles(index: BlockIndex): {
  readonly levels: readonly (readonly TilePlace[])[];
  readonly apexOffset: number;
  readonly nodesOffset: number;
} {
  let offset = 0;
  const levels = index.tileBytes.map((tiles) =>
    tiles.map((dataLength) => {
      const place = { offset, length: framedLength(dataLength), dataLength };
      offset += place.length;
      return place;
    }),
  );
  const { width, height } = sizeOfApex(index);
  const apexBytes = width * height * index.bands * SAMPLES[index.sampleType].bytes;
  return { levels, apexOffset: offset, nodesOffset: offset + apexBytes };
}
