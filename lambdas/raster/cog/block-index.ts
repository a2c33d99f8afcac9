import * as z from 'zod';
import { COMPRESSIONS } from './compression.ts';
import { SAMPLE_TYPES } from './sample-type.ts';
import { framedLength, mostTileBytes } from './tile.ts';

/**
 * What lies where in a block's bytes. They are, without gaps: the full-resolution tiles row by row,
 * then those of each of the block's own overviews, each tile with leader and trailer; then the
 * block at half its last level's size as raw samples ("apex": from these the assembler makes the
 * overviews that no block has alone).
 */
const count = z.number().int().min(0);
const statistics = z.strictObject({
  count,
  min: z.number().nullable(),
  max: z.number().nullable(),
  mean: z.number(),
  squaredDeviations: z.number().min(0),
});
/** As large as any manifest's tiles, four times over. */
const MAX_TILE_SIZE = 4096;

const blockIndexSchema = z
  .strictObject({
    format: z.literal('soil-block/2'),
    width: z.number().int().positive(),
    height: z.number().int().positive(),
    bands: z.number().int().min(1).max(32),
    sampleType: z.enum(SAMPLE_TYPES),
    compression: z.enum(COMPRESSIONS),
    tileSize: z.number().int().positive().multipleOf(16).max(MAX_TILE_SIZE),
    blockTiles: z.union([1, 2, 4, 8, 16].map((n) => z.literal(n))),
    /** A tile's bytes without leader and trailer, level by level. */
    tileBytes: z.array(z.array(z.number().int().positive()).readonly()).readonly(),
    statistics: z.array(statistics.readonly()).readonly(),
  })
  .refine(
    ({ width, height, tileSize, blockTiles }) =>
      width <= tileSize * blockTiles && height <= tileSize * blockTiles,
    { message: 'at most blockTiles × blockTiles tiles' },
  )
  .refine(
    (index) => {
      const most = mostTileBytes(index);
      return index.tileBytes.every((tiles) => tiles.every((length) => length <= most));
    },
    { message: 'no tile longer than its cells could make it' },
  )
  .refine(
    (index) =>
      index.tileBytes.length === ownLevels(index.blockTiles) + 1 &&
      index.tileBytes.every((tiles, level) => {
        const { cols, rows } = tilesAt(index, level);
        return tiles.length === cols * rows;
      }) &&
      index.statistics.length === index.bands,
    { message: 'tiles and statistics as many as size and bands ask for' },
  )
  .readonly();

export type BlockIndex = z.infer<typeof blockIndexSchema>;

/** From parsed JSON; throws ZodError where it is no block's index. */
export function parseBlockIndex(value: unknown): BlockIndex {
  return blockIndexSchema.parse(value);
}

/** Overviews a block of that many tiles makes alone: until it is one tile. */
export function ownLevels(blockTiles: number): number {
  return Math.log2(blockTiles);
}

type BlockSize = Pick<BlockIndex, 'width' | 'height' | 'tileSize'>;

export function tilesAt(
  { width, height, tileSize }: BlockSize,
  level: number,
): { readonly cols: number; readonly rows: number } {
  const cells = tileSize * 2 ** level;
  return { cols: Math.ceil(width / cells), rows: Math.ceil(height / cells) };
}

/** The raw cells at the end: one level above the block's last. */
export function apexSize(index: BlockSize & Pick<BlockIndex, 'blockTiles'>): {
  readonly width: number;
  readonly height: number;
} {
  const cells = 2 ** (ownLevels(index.blockTiles) + 1);
  return { width: Math.ceil(index.width / cells), height: Math.ceil(index.height / cells) };
}

export interface TilePlace {
  /** Of the framed tile in the block's bytes. */
  readonly offset: number;
  readonly length: number;
  readonly dataLength: number;
}

/** Every tile's place by level, and where the apex cells begin. */
export function placesOf(index: BlockIndex): {
  readonly levels: readonly (readonly TilePlace[])[];
  readonly apexOffset: number;
} {
  let offset = 0;
  const levels = index.tileBytes.map((tiles) =>
    tiles.map((dataLength) => {
      const place = { offset, length: framedLength(dataLength), dataLength };
      offset += place.length;
      return place;
    }),
  );
  return { levels, apexOffset: offset };
}
