import type { Grid } from './grid.ts';

export interface Pace {
  readonly pointsPerSecond: number;
  readonly maxBlocks: number;
}

/**
 * Seconds that the prediction of a block should take. Shorter blocks spend too much of their time on the start of a
 * function. Longer blocks risk Lambda's limit of 900 s if the model is slower there than where it was measured.
 * `most`, half of that limit, applies only if a job would otherwise exceed its limit of blocks.
 */
const BLOCK_SECONDS = { min: 10, max: 300, most: 450 };

/** Edges in tiles. Powers of two, so that a block's overviews are whole tiles. */
const BLOCK_TILES = [1, 2, 4, 8, 16];

/**
 * Returns the possible edges of a block, in tiles, for a job of `pointCount` cells, best first. The first edge is the
 * smallest whose block takes at least {@link BLOCK_SECONDS}`.min` and the job's time ÷ `maxBlocks`; if no block takes
 * that long within `max`, it is the largest edge whose block takes at most `max`. The larger edges are for a sparse
 * polygon, which meets more blocks than its area suggests. No block takes more than `max` seconds (the last resort:
 * `most`), unless a single tile does. None is larger than the grid's `block_tiles`.
 */
export function chooseBlockEdges(
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
