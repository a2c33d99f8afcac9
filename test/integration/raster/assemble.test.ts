import { describe, expect, it } from 'vitest';
import { assembleCog } from '../../../engine/raster/cog/assemble.ts';
import { parseBlockIndex } from '../../../engine/raster/cog/block-index.ts';
import { planCog } from '../../../engine/raster/cog/layout.ts';
import { planParts } from '../../../engine/raster/cog/parts.ts';
import { buildBlockTable } from '../../../engine/raster/cog/placed-block.ts';
import type { RasterDescription } from '../../../engine/raster/cog/raster.ts';
import {
  type CellFunction,
  encodeRaster,
  MemoryTarget,
  memorySource,
  raster,
} from '../../support/raster/builders.ts';
import { encodeBlock } from '../../support/raster/encode-block.ts';
import { checkCog, decodeLevel, expectedLevel, findDifference } from './gdal.ts';

describe('a large raster', () => {
  /** Noise barely compresses: 2,000 × 1,700 cells of two bands are about 27 MB. */
  const of = raster({ width: 2000, height: 1700, tileSize: 256, blockTiles: 4 });
  const noise: CellFunction = (col, row, band) =>
    Math.fround(Math.sin(col * 12.9898 + row * 78.233 + band) * 43758.5453);
  const encoded = encodeRaster(of, noise);

  it.each(['row-major', 'by-block'] as const)(
    'is assembled from the parts of an upload: %s',
    async (order) => {
      const target = new MemoryTarget(encoded.store);
      const source = memorySource(encoded.store);
      const result = await assembleCog({
        raster: of,
        blocks: encoded.blocks,
        source,
        target,
        order,
      });
      expect(result).toMatchObject({ size: target.bytes?.length, parts: target.calls.length });
      expect(target.openUploads).toBe(0);
      if (order === 'by-block') expect(target.calls).toContain('copyPart');
      const verdict = await checkCog(target.bytes ?? new Uint8Array());
      expect(verdict).toMatchObject({ valid: true, errors: [], warnings: [] });
      expect(findDifference(decodeLevel(verdict, 0), expectedLevel(of, noise, 0))).toBeNull();
    },
  );

  it('aborts the upload if a part fails', async () => {
    const target = new MemoryTarget(encoded.store, 2);
    const source = memorySource(encoded.store);
    await expect(
      assembleCog({ raster: of, blocks: encoded.blocks, source, target }),
    ).rejects.toThrow('SlowDown');
    expect(target.bytes).toBeNull();
    expect(target.openUploads).toBe(0);
    expect(target.calls.at(-1)).toBe('abort');
  });

  it('starts no upload if its blocks cannot be read', async () => {
    const target = new MemoryTarget(encoded.store);
    const source = memorySource(new Map());
    await expect(
      assembleCog({ raster: of, blocks: encoded.blocks, source, target }),
    ).rejects.toThrow('no bytes');
    expect(target.calls).toEqual([]);
  });
});

describe('a raster of 100,000 × 100,000 cells', () => {
  const band = { name: 'mean', description: 'mean', unit: '1' };
  const of = raster({
    width: 100_000,
    height: 100_000,
    tileSize: 512,
    blockTiles: 8,
    bands: [band],
  });

  it('is planned as a BigTIFF made mostly of copies, within S3’s limit of 10,000 parts', async () => {
    const blocks = makeHugeBlocks(of);
    const layout = planCog(of, buildBlockTable(of, blocks), {
      tile: () => ({ offset: 0, length: 600_000 }),
    });
    expect(layout).toMatchObject({ bigTiff: true, order: 'by-block' });
    const parts = planParts(layout.segments);
    expect(parts.length).toBeLessThan(10_000);
    const copied = parts
      .filter(({ kind }) => kind === 'copy')
      .reduce((sum, { length }) => sum + length, 0);
    expect(copied / layout.size).toBeGreaterThan(0.75);
  });
});

describe('a raster with two distant fields', () => {
  it('stores its nodata tile once instead of a gigabyte of copies', () => {
    const of = raster({ width: 200_000, height: 200_000, tileSize: 512, blockTiles: 1 });
    const cells = new Float32Array(512 * 512 * 2).fill(1);
    const shape = { width: 512, height: 512, bands: 2, tileSize: 512, blockTiles: 1 };
    const { index } = encodeBlock({ cells, ...shape, nodata: -9999 });
    const blocks = [0, 300 * 512].map((at) => ({ ref: `${at}`, col: at, row: at, index }));
    const layout = planCog(of, buildBlockTable(of, blocks), { tile: () => undefined });
    expect(layout.order).toBe('by-block');
    // The directories have about 200,000 tile offsets, and two blocks have tiles.
    expect(layout.size).toBeLessThan(5 * 2 ** 20);
  });
});

/** Makes blocks of which only the tile sizes exist. */
function makeHugeBlocks(of: RasterDescription) {
  const edge = of.tileSize * of.blockTiles;
  const blocks = [];
  for (let row = 0; row < of.height; row += edge) {
    for (let col = 0; col < of.width; col += edge) {
      const width = Math.min(edge, of.width - col);
      const height = Math.min(edge, of.height - row);
      const tileBytes = [0, 1, 2, 3].map((level) => {
        const count = (cells: number): number => Math.ceil(cells / (of.tileSize * 2 ** level));
        return Array.from({ length: count(width) * count(height) }, (_, i) => 640_000 + i);
      });
      const statistics = [{ count: 1, min: 0, max: 1, mean: 1, squaredDeviations: 0 }];
      const { tileSize, blockTiles } = of;
      const index = parseBlockIndex({
        format: 'soil-block/3',
        sampleType: 'float32',
        compression: 'deflate',
        width,
        height,
        bands: 1,
        tileSize,
        blockTiles,
        tileBytes,
        statistics,
        sums: null,
      });
      blocks.push({ ref: `${col},${row}`, col, row, index });
    }
  }
  return blocks;
}
