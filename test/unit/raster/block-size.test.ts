import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseBlockEdges } from '../../../engine/raster/grid/block-size.ts';
import { planCells } from '../../../engine/raster/grid/plan.ts';
import { rdGrid, rectangle, toLonLat, toPolygon } from '../../support/raster/builders.ts';

const tiles512 = { tile_size: 512, block_tiles: 16 };
const secondsOf = (tiles: number, pointsPerSecond: number) => (512 * tiles) ** 2 / pointsPerSecond;

describe('the size of blocks', () => {
  it.each<[string, number, number, number]>([
    ['is one tile if that takes ten seconds', 1e6, 20_000, 1],
    ['grows until a block takes ten seconds', 1e6, 100_000, 2],
    ['grows with the job, so that it has at most 400 blocks', 400e6, 45_000, 2],
    ['grows further with the job', 2_000e6, 45_000, 4],
    ['is the maximum for a model so fast that no block takes ten seconds', 1e9, 1e9, 16],
    ['is limited to 300 seconds, however large the job', 100_000e6, 45_000, 4],
    ['is one tile for a model so slow that even that takes longer', 1e9, 500, 1],
  ])('%s', (_, points, pointsPerSecond, tiles) => {
    const [first] = chooseBlockEdges(points, tiles512, { pointsPerSecond, maxBlocks: 400 });
    expect(first).toBe(tiles);
  });

  it('exceeds 300 seconds, up to 450, only if a job would otherwise have too many blocks', () => {
    const pace = { pointsPerSecond: 180_000, maxBlocks: 400 };
    expect(secondsOf(16, 180_000)).toBeCloseTo(372.8, 1);
    expect(chooseBlockEdges(100_000 ** 2, tiles512, pace)).toEqual([8, 16]);
    expect(chooseBlockEdges(100_000 ** 2, tiles512, { ...pace, pointsPerSecond: 140_000 })).toEqual(
      [8],
    );
  });

  it('corresponds to 10 to 300 seconds wherever the grid allows it, except as a last resort', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 1e12, noNaN: true }),
        fc.double({ min: 1000, max: 1.5e6, noNaN: true }),
        (points, pointsPerSecond) => {
          const sizes = chooseBlockEdges(points, tiles512, { pointsPerSecond, maxBlocks: 400 });
          for (const [i, tiles] of sizes.entries()) {
            const seconds = secondsOf(tiles, pointsPerSecond);
            expect(seconds).toBeGreaterThanOrEqual(10);
            expect(seconds).toBeLessThanOrEqual(i > 0 && i === sizes.length - 1 ? 450 : 300);
          }
        },
      ),
    );
  });
});

describe('100,000 × 100,000 cells', () => {
  const grid = { ...rdGrid(), width: 100_000, height: 100_000, cell_size: 1, tile_size: 512 };
  const polygon = toPolygon(rectangle(grid, [0, 0, 100_000, 100_000]));

  it.each([20e6, 180_000])(
    'result in at most 400 blocks at %d points per second',
    (pointsPerSecond) => {
      const pace = { pointsPerSecond, maxBlocks: 400 };
      const plan = planCells(polygon, { ...grid, block_tiles: 16 }, { pace });
      expect(plan).toMatchObject({ blockTiles: 16, blocks: { length: 13 ** 2 } });
    },
  );
});

describe("a plan for a model's speed", () => {
  const grid = { ...rdGrid(), block_tiles: 4 };

  it('has blocks of the matching size', () => {
    const polygon = toPolygon(rectangle(grid, [0, 0, 256, 256]));
    const plan = (pointsPerSecond: number) =>
      planCells(polygon, grid, { pace: { pointsPerSecond, maxBlocks: 400 } });
    expect(plan(200)).toMatchObject({ blockTiles: 1, blocks: { length: 16 } });
    expect(plan(1000)).toMatchObject({ blockTiles: 2, blocks: { length: 4 } });
    expect(plan(1e6)).toMatchObject({ blockTiles: 4, blocks: { length: 1 } });
  });

  it('can be stopped before each size that it tries', () => {
    const polygon = toPolygon(rectangle(grid, [0, 0, 256, 256]));
    const pace = { pointsPerSecond: 200, maxBlocks: 400 };
    let checks = 0;
    const stopAfter = (most: number) => () => {
      checks += 1;
      if (checks > most) throw new Error('stopped');
    };
    expect(planCells(polygon, grid, { pace }, stopAfter(9))).toMatchObject({ blockTiles: 1 });
    expect(checks).toBe(2);
    checks = 0;
    expect(() => planCells(polygon, grid, { pace }, stopAfter(1))).toThrow('stopped');
  });

  it('has larger blocks for a sparse polygon that meets too many small blocks', () => {
    const diagonal = toLonLat(grid, [
      [0, 0],
      [3, 0],
      [256, 253],
      [256, 256],
      [253, 256],
      [0, 3],
      [0, 0],
    ]);
    const plan = (maxBlocks: number) =>
      planCells(toPolygon(diagonal), grid, { pace: { pointsPerSecond: 400, maxBlocks } });
    expect(plan(400)).toMatchObject({ blockTiles: 1 });
    expect(plan(4)?.blockTiles).toBe(2);
    expect(plan(1)?.blockTiles).toBe(4);
  });
});
