import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type BlockIndex,
  countTilesAt,
  locateTiles,
} from '../../../engine/raster/cog/block-index.ts';
import { type CogLayout, lengthOfSegment, planCog } from '../../../engine/raster/cog/layout.ts';
import { buildBlockTable, type CogBlock } from '../../../engine/raster/cog/placed-block.ts';
import { tileKindOf } from '../../../engine/raster/cog/raster.ts';
import { createSamples } from '../../../engine/raster/cog/sample-type.ts';
import { createTileEncoder, frameTile, maxTileBytes } from '../../../engine/raster/cog/tile.ts';
import { raster } from '../../support/raster/builders.ts';
import { runCheck } from './run-check.ts';

const TILE = 512;
const BLOCK_TILES = 8;
const EDGE = TILE * BLOCK_TILES;

/** With 32 bands of bytes, an incompressible tile has 8 MiB, and 3 × 3 blocks have more than 4 GiB. */
const of = raster({
  width: 3 * EDGE,
  height: 3 * EDGE,
  ...{ tileSize: TILE, blockTiles: BLOCK_TILES, sampleType: 'uint8', nodata: 255 },
  bands: Array.from({ length: 32 }, (_, i) => ({ name: `b${i}`, description: 'b', unit: '1' })),
});
const kind = tileKindOf(of);
const sample = (col: number, row: number, band: number): number => (col * 3 + row + band) % 250;

/** The content of a tile, which may be shorter than its place: readers ignore bytes after the end of the stream. */
const encodedTile = createTileEncoder(kind)
  .encodeTile(
    {
      cells: createSamples('uint8', TILE * TILE * 32).map((_, i) =>
        sample(Math.floor(i / 32) % TILE, Math.floor(i / 32 / TILE), i % 32),
      ),
      ...{ width: TILE, height: TILE },
    },
    0,
    0,
  )
  .slice();

/** Blocks whose tiles have the given size, except for the last tile of the last block. */
function blocksOf(tileBytes: number, last = tileBytes): CogBlock[] {
  const places = [0, 1, 2].flatMap((row) =>
    [0, 1, 2].map((col) => [col * EDGE, row * EDGE] as const),
  );
  return places.map(([col, row], i) => {
    const size = { width: EDGE, height: EDGE, tileSize: TILE };
    const levels = Array.from({ length: Math.log2(BLOCK_TILES) + 1 }, (_, level) => {
      const { cols, rows } = countTilesAt(size, level);
      return Array.from({ length: cols * rows }, () => tileBytes);
    });
    if (i === places.length - 1) levels[0]?.splice(-1, 1, last);
    const none = { count: 0, min: null, max: null, mean: 0, squaredDeviations: 0 };
    const index: BlockIndex = {
      ...{
        format: 'soil-block/3',
        sums: null,
        ...size,
        bands: 32,
        sampleType: 'uint8',
        compression: 'deflate',
      },
      ...{ blockTiles: BLOCK_TILES, tileBytes: levels, statistics: of.bands.map(() => none) },
    };
    return { ref: `${i}`, col, row, index };
  });
}

const layoutOf = (blocks: readonly CogBlock[]): CogLayout =>
  planCog(of, buildBlockTable(of, blocks), { tile: () => undefined });

describe('a file at the size limit of a classic TIFF', () => {
  const most = 2 ** 32 - 1;
  /** 9 blocks have 64 + 16 + 4 + 1 tiles each; the directories fit into the remainder. */
  const tileBytes = Math.floor(most / (9 * 85)) - 1000;
  const spare = most - layoutOf(blocksOf(tileBytes)).size;

  it('is a classic TIFF with 4 GiB − 1 byte, and a BigTIFF with one byte more', () => {
    expect(Math.abs(spare)).toBeLessThan(maxTileBytes(kind) - tileBytes);
    expect(layoutOf(blocksOf(tileBytes, tileBytes + spare))).toMatchObject({
      bigTiff: false,
      size: most,
    });
    const larger = layoutOf(blocksOf(tileBytes, tileBytes + spare + 1));
    expect(larger.bigTiff).toBe(true);
    // The directories of a BigTIFF are longer.
    expect(larger.size).toBeGreaterThan(most + 1);
  });
});

describe('a BigTIFF', () => {
  it('is a valid COG, and GDAL reads its first tile and its last tile beyond 4 GiB', async () => {
    const blocks = blocksOf(maxTileBytes(kind));
    const layout = layoutOf(blocks);
    expect(layout.size).toBeGreaterThan(4.5 * 2 ** 30);
    const folder = mkdtempSync(join(tmpdir(), 'big-tiff-'));
    try {
      const path = join(folder, 'raster.tif');
      writeWithHoles(path, layout, blocks);
      const verdict = (await runCheck('check_big_tiff.py', [path])) as {
        readonly cells: number[][][];
      };
      expect(verdict).toMatchObject({ valid: true, errors: [], warnings: [], tiff: 'BigTIFF' });
      for (const corner of verdict.cells) {
        expect(corner).toEqual(
          [0, 17, 31].map((band) => [sample(0, 0, band), sample(511, 511, band)]),
        );
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Writes a sparse file with only two of its tiles. */
function writeWithHoles(path: string, layout: CogLayout, blocks: readonly CogBlock[]): void {
  const file = openSync(path, 'w');
  const tile = frameTile(encodedTile);
  let at = 0;
  for (const segment of layout.segments) {
    if (segment.kind === 'bytes') writeSync(file, segment.bytes, 0, segment.bytes.length, at);
    if (segment.kind === 'copy') {
      const { index } = blocks[Number(segment.ref)] ?? {};
      const [full = []] = index === undefined ? [] : locateTiles(index).levels;
      for (const place of [full.at(0), full.at(-1)]) {
        const within = (place?.offset ?? -1) - segment.offset;
        if (within < 0 || within >= segment.length) continue;
        writeSync(file, tile, 0, tile.length, at + within);
      }
    }
    at += lengthOfSegment(segment);
  }
  ftruncateSync(file, at);
  closeSync(file);
}
