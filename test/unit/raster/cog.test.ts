import fc from 'fast-check';
import { fromArrayBuffer } from 'geotiff';
import { describe, expect, it } from 'vitest';
import { buildApex } from '../../../lambdas/raster/cog/apex.ts';
import { assembleCog } from '../../../lambdas/raster/cog/assemble.ts';
import { encodeBlock } from '../../../lambdas/raster/cog/block.ts';
import { parseBlockIndex } from '../../../lambdas/raster/cog/block-index.ts';
import { halve } from '../../../lambdas/raster/cog/cells.ts';
import { planCog } from '../../../lambdas/raster/cog/layout.ts';
import { planParts } from '../../../lambdas/raster/cog/parts.ts';
import { tableOf } from '../../../lambdas/raster/cog/placed-block.ts';
import type { RasterDescription } from '../../../lambdas/raster/cog/raster.ts';
import { levelsOf } from '../../../lambdas/raster/cog/raster.ts';
import {
  type CellFunction,
  encodeRaster,
  judge,
  MemoryTarget,
  memorySource,
  raster,
  withFile,
  writeCog,
} from './builders.ts';

interface Verdict {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly nodata: number;
  readonly epsg: number;
  readonly crs_name: string;
  readonly transform: readonly number[];
  readonly block_shapes: readonly (readonly number[])[];
  readonly overviews: readonly number[];
  readonly pixel_interleaved: boolean;
  readonly descriptions: readonly string[];
  readonly units: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly structure: Readonly<Record<string, string>>;
  readonly band_tags: readonly Readonly<Record<string, string>>[];
  readonly levels: readonly {
    readonly width: number;
    readonly height: number;
    readonly values: string;
  }[];
}

const NODATA = -9999;

/** Waves, with nodata strewn in: no cell like its neighbour. */
const waves: CellFunction = (col, row, band) =>
  (col * 7 + row * 3) % 11 === 0 ? NODATA : Math.fround(Math.sin(col / 9) * 10 + row / 7 + band);

function gdal(bytes: Uint8Array): Verdict {
  return withFile(bytes, (path) => judge('judge_cog.py', [path, '--pixels']) as Verdict);
}

function levelValues(verdict: Verdict, level: number): Float32Array {
  const bytes = Buffer.from(verdict.levels[level]?.values ?? '', 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** The first value that is not as expected; comparing long arrays by `toEqual` takes seconds. */
function difference(found: Float32Array, expected: Float32Array): string | null {
  if (found.length !== expected.length) return `${found.length} values, not ${expected.length}`;
  const at = found.findIndex((value, i) => value !== expected[i]);
  return at < 0 ? null : `value ${at} is ${found[at]}, not ${expected[at]}`;
}

/** All bands of a level, one after the other, made the plain way: whole and cell by cell. */
function expectedLevel(of: RasterDescription, value: CellFunction, level: number): Float32Array {
  const bands = of.bands.length;
  let cells = {
    width: of.width,
    height: of.height,
    cells: Float32Array.from({ length: of.width * of.height * bands }, (_, i) => {
      const cell = Math.floor(i / bands);
      return value(cell % of.width, Math.floor(cell / of.width), i % bands);
    }),
  };
  for (let i = 0; i < level; i += 1) cells = { ...halve(cells, bands, NODATA) } as typeof cells;
  const area = cells.width * cells.height;
  return Float32Array.from({ length: area * bands }, (_, i) => {
    return cells.cells[(i % area) * bands + Math.floor(i / area)] ?? Number.NaN;
  });
}

describe('a raster written from blocks', () => {
  const cases: readonly (readonly [string, RasterDescription, 'row-major' | 'by-block'])[] = [
    ['one cell', raster({ width: 1, height: 1 }), 'row-major'],
    ['less than a tile', raster({ width: 50, height: 30 }), 'row-major'],
    ['blocks of one tile', raster(), 'row-major'],
    [
      'blocks of four tiles, two apex levels',
      raster({ width: 500, height: 333, blockTiles: 2 }),
      'row-major',
    ],
    ['tiles kept by block', raster({ width: 500, height: 333, blockTiles: 2 }), 'by-block'],
    ['tiles larger than 512', raster({ width: 700, height: 600, tileSize: 1024 }), 'row-major'],
  ];

  it.each(cases)('is a valid COG in GDAL and rio-cogeo: %s', async (_, of, order) => {
    const verdict = gdal(await writeCog(of, waves, { order }));
    expect(verdict).toMatchObject({ valid: true, errors: [], warnings: [] });
    expect(verdict).toMatchObject({
      width: of.width,
      height: of.height,
      pixel_interleaved: true,
    });
    expect(verdict.levels).toHaveLength(levelsOf(of).length);
    for (const level of verdict.levels.keys()) {
      expect(
        difference(levelValues(verdict, level), expectedLevel(of, waves, level)),
        `level ${level}`,
      ).toBeNull();
    }
  });

  it('says where it lies, what its bands are and where it comes from', async () => {
    const tags = {
      MODEL: 'meuse-soc@1.0.0',
      LICENCE: 'CC "BY" & <own> &lt; ³',
      REQUESTED_YEAR: '2020',
    };
    const verdict = gdal(await writeCog(raster({ tags }), waves));
    expect(verdict).toMatchObject({
      epsg: 28992,
      crs_name: 'Amersfoort / RD New',
      transform: [10, 0, 178_440, 0, -10, 333_760],
      nodata: NODATA,
      descriptions: ['mean', 'q05'],
      units: ['kg/m3', 'kg/m3'],
      structure: { LAYOUT: 'COG', COMPRESSION: 'DEFLATE', PREDICTOR: '3', INTERLEAVE: 'PIXEL' },
      tags: { ...tags, OVERVIEW_RESAMPLING: 'AVERAGE', AREA_OR_POINT: 'Area' },
    });
    expect(verdict.block_shapes).toEqual([
      [64, 64],
      [64, 64],
    ]);
    expect(verdict.band_tags[0]).not.toHaveProperty('OVERVIEW_NOTE');
    expect(verdict.band_tags[1]?.['OVERVIEW_NOTE']).toContain('averages of this bound');
  });

  it('has the statistics of all its cells', async () => {
    const of = raster();
    const verdict = gdal(await writeCog(of, waves));
    const cells = of.width * of.height;
    for (const band of of.bands.keys()) {
      const all = [...expectedLevel(of, waves, 0).subarray(band * cells, (band + 1) * cells)];
      const valid = all.filter((value) => value !== NODATA);
      const mean = valid.reduce((a, b) => a + b) / valid.length;
      const variance = valid.reduce((sum, v) => sum + (v - mean) ** 2, 0) / valid.length;
      const tags = verdict.band_tags[band] ?? {};
      expect(Number(tags['STATISTICS_MINIMUM'])).toBe(Math.min(...valid));
      expect(Number(tags['STATISTICS_MAXIMUM'])).toBe(Math.max(...valid));
      expect(Number(tags['STATISTICS_MEAN'])).toBeCloseTo(mean, 9);
      expect(Number(tags['STATISTICS_STDDEV'])).toBeCloseTo(Math.sqrt(variance), 9);
      expect(Number(tags['STATISTICS_VALID_PERCENT'])).toBeCloseTo((100 * valid.length) / cells, 1);
    }
  });

  it('is in degrees where its grid is', async () => {
    const crs = { epsg: 4326, name: 'WGS 84', geographic: true };
    const verdict = gdal(await writeCog(raster({ crs, origin: [5, 52], cellSize: 0.01 }), waves));
    expect(verdict).toMatchObject({ valid: true, warnings: [], epsg: 4326, crs_name: 'WGS 84' });
  });

  it.each(['row-major', 'by-block'] as const)(
    'has nodata where blocks are missing: %s',
    async (order) => {
      const of = raster({ width: 500, height: 333, blockTiles: 2 });
      const missing = (col: number, row: number): boolean =>
        col < 256 && row < 256 && (col < 128 || row < 128);
      const verdict = gdal(await writeCog(of, waves, { order, skip: missing }));
      expect(verdict).toMatchObject({ valid: true, errors: [], warnings: [] });
      const holed: CellFunction = (col, row, band) => {
        const first = (cell: number): number => cell - (cell % 128);
        return missing(first(col), first(row)) ? NODATA : waves(col, row, band);
      };
      for (const level of verdict.levels.keys()) {
        expect(
          difference(levelValues(verdict, level), expectedLevel(of, holed, level)),
          `level ${level}`,
        ).toBeNull();
      }
    },
  );

  it('is a valid COG without any block, and has no statistics to tell', async () => {
    const verdict = gdal(await writeCog(raster(), waves, { skip: () => true }));
    expect(verdict).toMatchObject({ valid: true, warnings: [] });
    expect(verdict.band_tags[0]).not.toHaveProperty('STATISTICS_MEAN');
    expect(levelValues(verdict, 0).every((value) => value === NODATA)).toBe(true);
  });

  it('is read back by geotiff.js, whatever its size, bands and cells', async () => {
    const size = fc.integer({ min: 1, max: 150 });
    const bandCount = fc.integer({ min: 1, max: 5 });
    const order = fc.constantFrom('row-major' as const, 'by-block' as const);
    const salt = fc.integer({ min: 1, max: 1e9 });
    await fc.assert(
      fc.asyncProperty(
        size,
        size,
        bandCount,
        order,
        salt,
        async (width, height, bands, by, seed) => {
          const band = { name: 'b', description: 'a band', unit: '1' };
          const of = raster({
            width,
            height,
            tileSize: 32,
            bands: Array.from({ length: bands }, () => band),
          });
          // Bits at random: the predictor and DEFLATE must keep any float.
          const noise: CellFunction = (col, row, b) =>
            Math.fround(
              ((Math.imul(col * 73 + row * 7919 + b, seed) | 0) / 7) * 10 ** ((col % 60) - 30),
            );
          const bytes = await writeCog(of, noise, { order: by });
          const image = await (await fromArrayBuffer(bytes.slice().buffer)).getImage();
          expect([image.getWidth(), image.getHeight()]).toEqual([width, height]);
          const read = await image.readRasters();
          const values = Array.from({ length: bands }, (_, b) => [
            ...(read[b] as Float32Array),
          ]).flat();
          expect(values).toEqual([...expectedLevel(of, noise, 0)]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('has the same bytes for the same blocks, in whatever order they come', async () => {
    const of = raster({ width: 300, height: 200 });
    const { blocks, store } = encodeRaster(of, waves);
    const [first, second] = [new MemoryTarget(store), new MemoryTarget(store)];
    const source = memorySource(store);
    await assembleCog({ raster: of, blocks, source, target: first });
    await assembleCog({ raster: of, blocks: [...blocks].reverse(), source, target: second });
    expect(Buffer.compare(second.bytes ?? Buffer.of(), first.bytes ?? Buffer.of())).toBe(0);
    expect(first.bytes?.length).toBeGreaterThan(0);
  });
});

describe('an overview cell', () => {
  it('is the mean of its valid cells, between the least and the greatest', () => {
    const cell = fc.oneof(fc.constant(NODATA), fc.float({ min: -1000, max: 1000, noNaN: true }));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.array(cell, { minLength: 1, maxLength: 90 }),
        (width, values) => {
          const height = Math.ceil(values.length / width);
          const cells = new Float32Array(width * height).fill(NODATA);
          cells.set(values);
          const half = halve({ cells, width, height }, 1, NODATA);
          expect([half.width, half.height]).toEqual([Math.ceil(width / 2), Math.ceil(height / 2)]);
          for (const [i, mean] of half.cells.entries()) {
            const [x, y] = [(i % half.width) * 2, Math.floor(i / half.width) * 2];
            const four = [
              [x, y],
              [x + 1, y],
              [x, y + 1],
              [x + 1, y + 1],
            ]
              .filter(([col = 0, row = 0]) => col < width && row < height)
              .map(([col = 0, row = 0]) => cells[row * width + col] ?? NODATA)
              .filter((value) => value !== NODATA);
            const expected =
              four.length === 0 ? NODATA : four.reduce((a, b) => a + b, 0) / four.length;
            expect(mean).toBe(Math.fround(expected));
          }
        },
      ),
    );
  });
});

describe('a large raster', () => {
  /** Noise hardly compresses: 2,000 × 1,700 cells of two bands are about 27 MB. */
  const of = raster({ width: 2000, height: 1700, tileSize: 256, blockTiles: 4 });
  const noise: CellFunction = (col, row, band) =>
    Math.fround(Math.sin(col * 12.9898 + row * 78.233 + band) * 43758.5453);
  const encoded = encodeRaster(of, noise);

  it.each(['row-major', 'by-block'] as const)(
    'is joined from parts by the target: %s',
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
      const verdict = gdal(target.bytes ?? new Uint8Array());
      expect(verdict).toMatchObject({ valid: true, errors: [], warnings: [] });
      expect(difference(levelValues(verdict, 0), expectedLevel(of, noise, 0))).toBeNull();
    },
  );

  it('leaves no upload behind when a part fails', async () => {
    const target = new MemoryTarget(encoded.store, 2);
    const source = memorySource(encoded.store);
    await expect(
      assembleCog({ raster: of, blocks: encoded.blocks, source, target }),
    ).rejects.toThrow('SlowDown');
    expect(target.bytes).toBeNull();
    expect(target.openUploads).toBe(0);
    expect(target.calls.at(-1)).toBe('abort');
  });

  it('begins no upload when its blocks can’t be read', async () => {
    const target = new MemoryTarget(encoded.store);
    const source = memorySource(new Map());
    await expect(
      assembleCog({ raster: of, blocks: encoded.blocks, source, target }),
    ).rejects.toThrow('no bytes');
    expect(target.calls).toEqual([]);
  });
});

describe('a raster of 100,000 × 100,000 cells', () => {
  /** Blocks of 8 × 8 tiles whose sizes alone are known: about 24 GB. */
  const band = { name: 'mean', description: 'mean', unit: '1' };
  const of = raster({
    width: 100_000,
    height: 100_000,
    tileSize: 512,
    blockTiles: 8,
    bands: [band],
  });

  it('is planned as a BigTIFF of copies, within S3’s 10,000 parts', async () => {
    const blocks = hugeBlocks(of);
    const layout = planCog(of, tableOf(of, blocks), { tile: () => new Uint8Array(600_000) });
    expect(layout).toMatchObject({ bigTiff: true, order: 'by-block' });
    const parts = planParts(layout.segments);
    expect(parts.length).toBeLessThan(10_000);
    const copied = parts
      .filter(({ kind }) => kind === 'copy')
      .reduce((sum, { length }) => sum + length, 0);
    expect(copied / layout.size).toBeGreaterThan(0.75);
  });
});

function hugeBlocks(of: RasterDescription) {
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
      const statistics = [{ count: 1, min: 0, max: 1, sum: 1, sumOfSquares: 1 }];
      const { tileSize, blockTiles } = of;
      const index = parseBlockIndex({
        format: 'soil-block/1',
        width,
        height,
        bands: 1,
        tileSize,
        blockTiles,
        tileBytes,
        statistics,
      });
      blocks.push({ ref: `${col},${row}`, col, row, index });
    }
  }
  return blocks;
}

describe('a block', () => {
  const cells = new Float32Array(64 * 64).fill(1);
  const block = {
    cells,
    width: 64,
    height: 64,
    bands: 1,
    nodata: NODATA,
    tileSize: 64,
    blockTiles: 1,
  };

  it('has the same bytes for the same cells', () => {
    expect(encodeBlock(block)).toEqual(encodeBlock(block));
  });

  it.each([
    ['a size its cells do not have', { width: 63 }],
    ['more cells than a block', { width: 128, height: 32 }],
    ['nodata that is no number', { nodata: Number.NaN }],
    ['tiles that TIFF does not know', { tileSize: 65 }],
    ['a cell that is no number', { cells: new Float32Array(64 * 64).fill(Number.NaN) }],
  ])('is refused with %s', (_, wrong) => {
    expect(() => encodeBlock({ ...block, ...wrong })).toThrow(RangeError);
  });

  it('is refused where its index lies about its tiles', () => {
    const { index } = encodeBlock(block);
    expect(() => parseBlockIndex({ ...index, tileBytes: [[1, 2]] })).toThrow();
    expect(() => parseBlockIndex({ ...index, width: 65 })).toThrow();
    expect(() => parseBlockIndex({ ...index, statistics: [] })).toThrow();
  });

  it('is refused where it does not fit its raster', async () => {
    const of = raster({ width: 100, height: 64, bands: raster().bands.slice(0, 1) });
    const { index } = encodeBlock(block);
    const placed = { ref: 'a', col: 0, row: 0, index };
    expect(() => tableOf(of, [{ ...placed, col: 64 }])).toThrow('does not fit');
    expect(() => tableOf(of, [placed, { ...placed, ref: 'b' }])).toThrow('collide');
    const short = { read: async () => new Uint8Array(3) };
    await expect(buildApex(of, tableOf(of, [placed]), short)).rejects.toThrow('gave 3 bytes');
  });
});
