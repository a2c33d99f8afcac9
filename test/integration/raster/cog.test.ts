import fc from 'fast-check';
import { fromArrayBuffer } from 'geotiff';
import { describe, expect, it } from 'vitest';
import { assembleCog } from '../../../engine/raster/cog/assemble.ts';
import type { RasterDescription } from '../../../engine/raster/cog/raster.ts';
import { listLevels, padForHalving } from '../../../engine/raster/cog/raster.ts';
import {
  type CellFunction,
  encodeRaster,
  MemoryTarget,
  memorySource,
  NODATA,
  raster,
  waves,
  writeCog,
} from '../../support/raster/builders.ts';
import { checkCog, decodeLevel, expectedLevel, findDifference } from './gdal.ts';

describe('a raster written from blocks', () => {
  const cases: readonly (readonly [string, RasterDescription, 'row-major' | 'by-block'])[] = [
    ['one cell', raster({ width: 1, height: 1 }), 'row-major'],
    ['less than a tile', raster({ width: 50, height: 30 }), 'row-major'],
    ['blocks of one tile', raster(), 'row-major'],
    [
      'blocks of four tiles, with two apex levels',
      raster({ width: 500, height: 333, blockTiles: 2 }),
      'row-major',
    ],
    ['tiles in block order', raster({ width: 500, height: 333, blockTiles: 2 }), 'by-block'],
    ['tiles larger than 512', raster({ width: 700, height: 600, tileSize: 1024 }), 'row-major'],
  ];

  it.each(cases)('is a valid COG in GDAL and rio-cogeo: %s', async (_, of, order) => {
    const verdict = await checkCog(await writeCog(of, waves, { order }));
    expect(verdict).toMatchObject({ valid: true, errors: [], warnings: [] });
    const { width, height } = padForHalving(of);
    expect(verdict).toMatchObject({ width, height, pixel_interleaved: true });
    expect(verdict.levels).toHaveLength(listLevels(of).length);
    for (const level of verdict.levels.keys()) {
      expect(
        findDifference(decodeLevel(verdict, level), expectedLevel(of, waves, level)),
        `level ${level}`,
      ).toBeNull();
    }
  });

  it.each([
    ['even', 512, 768, [512, 768]],
    // 501 / 8 = 62.6, so the top level has 63 cells, which cover 504.
    ['odd', 501, 333, [504, 336]],
  ] as const)(
    'has the overviews that GDAL makes, bit for bit: %s sizes',
    async (_, width, height, size) => {
      const of = raster({ width, height, blockTiles: 2 });
      const verdict = await checkCog(await writeCog(of, waves), ['--gdal-overviews']);
      expect([verdict.width, verdict.height]).toEqual(size);
      expect(verdict.overview_differences?.length).toBeGreaterThanOrEqual(3);
      expect(verdict.overview_differences?.every((cells) => cells === 0)).toBe(true);
    },
  );

  it('states its georeference, bands and provenance', async () => {
    const tags = {
      // A job's name may be any text, with line breaks, a tab and characters that XML does not allow.
      JOB_NAME: 'Nordacker 3\n"Löß" \u0001\u0000\t🌾',
      MODEL: 'meuse-soc@1.0.0',
      LICENSE: 'CC "BY" & <own> &lt; ³',
      REQUESTED_YEAR: '2020',
    };
    const verdict = await checkCog(await writeCog(raster({ tags }), waves));
    expect(verdict).toMatchObject({
      epsg: 28992,
      crs_name: 'Amersfoort / RD New',
      transform: [10, 0, 178_440, 0, -10, 333_760],
      nodata: NODATA,
      descriptions: ['mean', 'q05'],
      units: ['kg/m3', 'kg/m3'],
      structure: { LAYOUT: 'COG', COMPRESSION: 'DEFLATE', PREDICTOR: '3', INTERLEAVE: 'PIXEL' },
      tags: {
        ...tags,
        JOB_NAME: 'Nordacker 3\n"Löß"   \t🌾',
        OVERVIEW_RESAMPLING: 'AVERAGE',
        AREA_OR_POINT: 'Area',
      },
    });
    expect(verdict.block_shapes).toEqual([
      [64, 64],
      [64, 64],
    ]);
    expect(verdict.band_tags[0]).not.toHaveProperty('QUANTILE');
    expect(verdict.band_tags[0]).not.toHaveProperty('OVERVIEW_NOTE');
    expect(verdict.band_tags[1]?.['QUANTILE']).toBe('0.05');
    expect(verdict.band_tags[1]?.['OVERVIEW_NOTE']).toContain("averages of this band's cells");
  });

  it('states the statistics of all its cells', async () => {
    const of = padForHalving(raster());
    const verdict = await checkCog(await writeCog(of, waves));
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

  it('is in degrees if its grid is in degrees', async () => {
    const crs = { epsg: 4326, name: 'WGS 84', geographic: true };
    const verdict = await checkCog(
      await writeCog(raster({ crs, origin: [5, 52], cellSize: 0.01 }), waves),
    );
    expect(verdict).toMatchObject({ valid: true, warnings: [], epsg: 4326, crs_name: 'WGS 84' });
  });

  it.each(['row-major', 'by-block'] as const)(
    'has nodata where blocks are missing: %s',
    async (order) => {
      const of = raster({ width: 500, height: 333, blockTiles: 2 });
      const missing = (col: number, row: number): boolean =>
        col < 256 && row < 256 && (col < 128 || row < 128);
      const verdict = await checkCog(await writeCog(of, waves, { order, skip: missing }));
      expect(verdict).toMatchObject({ valid: true, errors: [], warnings: [] });
      const holed: CellFunction = (col, row, band) => {
        const first = (cell: number): number => cell - (cell % 128);
        return missing(first(col), first(row)) ? NODATA : waves(col, row, band);
      };
      for (const level of verdict.levels.keys()) {
        expect(
          findDifference(decodeLevel(verdict, level), expectedLevel(of, holed, level)),
          `level ${level}`,
        ).toBeNull();
      }
    },
  );

  it('is a valid COG without statistics if it has no blocks', async () => {
    const verdict = await checkCog(await writeCog(raster(), waves, { skip: () => true }));
    expect(verdict).toMatchObject({ valid: true, warnings: [] });
    expect(verdict.band_tags[0]).not.toHaveProperty('STATISTICS_MEAN');
    expect(decodeLevel(verdict, 0).every((value) => value === NODATA)).toBe(true);
  });

  it('can be read back by geotiff.js for arbitrary sizes, bands and cells', async () => {
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
          // Use random bits, because the predictor and DEFLATE must preserve any float.
          const noise: CellFunction = (col, row, b) =>
            Math.fround(
              ((Math.imul(col * 73 + row * 7919 + b, seed) | 0) / 7) * 10 ** ((col % 60) - 30),
            );
          const bytes = await writeCog(of, noise, { order: by });
          const image = await (await fromArrayBuffer(bytes.slice().buffer)).getImage();
          const whole = padForHalving(of);
          expect([image.getWidth(), image.getHeight()]).toEqual([whole.width, whole.height]);
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

  it('has the same bytes for the same blocks in any order', async () => {
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
