import type { Grid } from './grid.ts';

/** How fast a model is and how many blocks a job may have. */
export interface Pace {
  /** Cells predicted in a second. */
  readonly pointsPerSecond: number;
  readonly maxBlocks: number;
}

/**
 * Seconds a block should take: shorter ones spend their time on starting a function, longer ones
 * come near Lambda's 900 s with a model that is slower there than where it was measured.
 */
const BLOCK_SECONDS = { min: 10, max: 300 };

/** Powers of two, so that a block's overviews are whole tiles; 8 × 512 cells are 64 MiB a band. */
const BLOCK_TILES = [1, 2, 4, 8];

/**
 * Edges of a block, in tiles, to cut a job with so many cells into, the best first: the smallest
 * that takes the job's time ÷ `maxBlocks`, at least {@link BLOCK_SECONDS}`.min`. The others are for a
 * polygon whose cells lie thin, so that it meets more blocks than its area has. None takes more
 * than `max`, unless a single tile does; none is larger than the grid's `block_tiles`.
 */
export function blockSizes(
  pointCount: number,
  grid: Pick<Grid, 'tile_size' | 'block_tiles'>,
  { pointsPerSecond, maxBlocks }: Pace,
): readonly number[] {
  const { min, max } = BLOCK_SECONDS;
  const seconds = (tiles: number): number => (grid.tile_size * tiles) ** 2 / pointsPerSecond;
  const wanted = Math.min(Math.max(pointCount / pointsPerSecond / maxBlocks, min), max);
  const allowed = BLOCK_TILES.filter(
    (tiles) => tiles === 1 || (tiles <= grid.block_tiles && seconds(tiles) <= max),
  );
  const long = allowed.filter((tiles) => seconds(tiles) >= wanted);
  return long.length > 0 ? long : allowed.slice(-1);
}
