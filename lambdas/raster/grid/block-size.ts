import type { Grid } from './grid.ts';

/** How fast a model is and how many blocks a job may have. */
export interface Pace {
  /** Cells predicted in a second. */
  readonly pointsPerSecond: number;
  readonly maxBlocks: number;
}

/**
 * Seconds a block should take: shorter ones spend their time on starting a function, longer ones
 * come near Lambda's 900 s with a model that is slower there than where it was measured. Where a job
 * would else have more blocks than it may, half of the 900.
 */
const BLOCK_SECONDS = { min: 10, max: 300, most: 450 };

/**
 * Powers of two, so that a block's overviews are whole tiles. 100,000² cells are 625 blocks of
 * 8 × 8 tiles of 512 cells, and 169 of 16 × 16.
 */
const BLOCK_TILES = [1, 2, 4, 8, 16];

/**
 * Edges of a block, in tiles, to cut a job with so many cells into, the best first: the smallest
 * that takes the job's time ÷ `maxBlocks`, at least {@link BLOCK_SECONDS}`.min`. The others are for a
 * polygon whose cells lie thin, so that it meets more blocks than its area has. None takes more
 * than `max` (a last one more than `most`), unless a single tile does; none is larger than the
 * grid's `block_tiles`.
 */
export function blockSizes(
  pointCount: number,
  grid: Pick<Grid, 'tile_size' | 'block_tiles'>,
  { pointsPerSecond, maxBlocks }: Pace,
): readonly number[] {
  const { min, max, most } = BLOCK_SECONDS;
  const seconds = (tiles: number): number => (grid.tile_size * tiles) ** 2 / pointsPerSecond;
  const wanted = Math.min(Math.max(pointCount / pointsPerSecond / maxBlocks, min), max);
  const possible = BLOCK_TILES.filter(
    (tiles) => tiles === 1 || (tiles <= grid.block_tiles && seconds(tiles) <= most),
  );
  const allowed = possible.filter((tiles) => tiles === 1 || seconds(tiles) <= max);
  const long = allowed.filter((tiles) => seconds(tiles) >= wanted);
  const last = possible.filter((tiles) => !allowed.includes(tiles));
  return [...(long.length > 0 ? long : allowed.slice(-1)), ...last];
}
