import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockSizes } from '../../../lambdas/raster/grid/block-size.ts';
import { planCells } from '../../../lambdas/raster/grid/plan.ts';
import { lonLat, polygonOf, rdGrid, rectangle } from './builders.ts';

const tiles512 = { tile_size: 512, block_tiles: 8 };
const secondsOf = (tiles: number, pointsPerSecond: number) => (512 * tiles) ** 2 / pointsPerSecond;

describe('the size of blocks', () => {
  it.each<[string, number, number, number]>([
    ['is one tile where that takes its ten seconds', 1e6, 20_000, 1],
    ['grows until a block takes ten seconds', 1e6, 100_000, 2],
    ['grows with the job, so that it needs 400 blocks', 400e6, 45_000, 2],
    ['and again', 2_000e6, 45_000, 4],
    ['is the largest for a model so fast that none takes ten seconds', 1e9, 1e9, 8],
    ['never takes more than 300 seconds', 100_000e6, 45_000, 4],
    ['is one tile for a model so slow that even that takes longer', 1e9, 500, 1],
  ])('%s', (_, points, pointsPerSecond, tiles) => {
    const [first] = blockSizes(points, tiles512, { pointsPerSecond, maxBlocks: 400 });
    expect(first).toBe(tiles);
  });

  it('lies between ten seconds and 300 wherever the grid allows it', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 1e12, noNaN: true }),
        fc.double({ min: 1000, max: 1.5e6, noNaN: true }),
        (points, pointsPerSecond) => {
          for (const tiles of blockSizes(points, tiles512, { pointsPerSecond, maxBlocks: 400 })) {
            expect(secondsOf(tiles, pointsPerSecond)).toBeGreaterThanOrEqual(10);
            expect(secondsOf(tiles, pointsPerSecond)).toBeLessThanOrEqual(300);
          }
        },
      ),
    );
  });
});

describe('a plan at the pace of a model', () => {
  const grid = { ...rdGrid(), block_tiles: 4 };

  it('has blocks of the size that suits it', () => {
    const polygon = polygonOf(rectangle(grid, [0, 0, 256, 256]));
    const plan = (pointsPerSecond: number) =>
      planCells(polygon, grid, { pace: { pointsPerSecond, maxBlocks: 400 } });
    expect(plan(200)).toMatchObject({ blockTiles: 1, blocks: { length: 16 } });
    expect(plan(1000)).toMatchObject({ blockTiles: 2, blocks: { length: 4 } });
    expect(plan(1e6)).toMatchObject({ blockTiles: 4, blocks: { length: 1 } });
  });

  it('has larger blocks where the polygon is thin and meets too many of the small', () => {
    const diagonal = lonLat(grid, [
      [0, 0],
      [3, 0],
      [256, 253],
      [256, 256],
      [253, 256],
      [0, 3],
      [0, 0],
    ]);
    const plan = (maxBlocks: number) =>
      planCells(polygonOf(diagonal), grid, { pace: { pointsPerSecond: 400, maxBlocks } });
    expect(plan(400)).toMatchObject({ blockTiles: 1 });
    expect(plan(4)?.blockTiles).toBe(2);
    expect(plan(1)?.blockTiles).toBe(4);
  });
});
