import { describe, expect, it } from 'vitest';
import { COMPRESSIONS, hasCompression } from '../../../engine/raster/cog/compression.ts';
import { RESAMPLINGS } from '../../../engine/raster/cog/overview.ts';
import { padForHalving } from '../../../engine/raster/cog/raster.ts';
import { SAMPLE_TYPES, type SampleType } from '../../../engine/raster/cog/sample-type.ts';
import { type CellFunction, raster, writeCog } from '../../support/raster/builders.ts';
import { checkCog, decodeLevel } from './gdal.ts';

/** Nodata values that the mean of valid cells may equal; such a mean must not become nodata. */
const NODATA_OF: Readonly<Record<SampleType, number>> = {
  float32: -9999,
  int16: -7,
  uint16: 40_000,
  uint8: 255,
};

/** Makes cells with few different values, among them the limits of integer types, so that modes tie. */
function makePatchwork(type: SampleType, nodata = NODATA_OF[type]): CellFunction {
  const values: Readonly<Record<SampleType, readonly number[]>> = {
    float32: [0.1, -1e30, 3.25, 1e-30, nodata],
    int16: [-32_768, 32_767, -3, -2, -12, 5, nodata],
    uint16: [0, 65_535, 1, 2, 7, nodata],
    uint8: [0, 254, 1, 2, 9, nodata],
  };
  const from = values[type];
  return (col, row, band) => {
    const mixed = Math.imul(col * 31 + row * 17 + band * 7, 0x9e3779b1) >>> 0;
    const value = from[mixed % from.length] ?? 0;
    return type === 'float32' ? Math.fround(value) : value;
  };
}

describe.each(SAMPLE_TYPES)('a raster with %s cells', (sampleType) => {
  it.each(RESAMPLINGS)('is a valid COG whose overviews are GDAL’s: %s', async (resampling) => {
    // GDAL 3.10 computes 0 as the mode of four int16 cells with a negative nodata.
    const nodata = resampling === 'mode' ? Math.abs(NODATA_OF[sampleType]) : NODATA_OF[sampleType];
    const value = makePatchwork(sampleType, nodata);
    const band = { name: 'b', description: 'a band', unit: '1', resampling };
    const of = raster({ width: 501, height: 333, sampleType, nodata, bands: [band, band, band] });
    const verdict = await checkCog(await writeCog(of, value), ['--gdal-overviews', resampling]);
    expect(verdict).toMatchObject({ valid: true, errors: [], warnings: [], nodata });
    expect(verdict.dtypes).toEqual([sampleType, sampleType, sampleType]);
    expect(verdict.structure['PREDICTOR']).toBe(sampleType === 'float32' ? '3' : '2');
    expect(verdict.tags['OVERVIEW_RESAMPLING']).toBe(resampling.toUpperCase());
    expect(verdict.overview_differences).toEqual([0, 0, 0]);
    const whole = padForHalving(of);
    const cells = decodeLevel(verdict, 0);
    for (const [i, cell] of cells.entries()) {
      const [col, row] = [i % whole.width, Math.floor(i / whole.width) % whole.height];
      const band = Math.floor(i / (whole.width * whole.height));
      const expected = col < of.width && row < of.height ? value(col, row, band) : nodata;
      if (cell !== expected) throw new Error(`cell ${col}, ${row} of band ${band} is ${cell}`);
    }
  });
});

describe('bands of different kinds', () => {
  it('each state their overview resampling in the metadata', async () => {
    const named = { description: 'a band', unit: '1' };
    const of = raster({
      sampleType: 'uint8',
      nodata: 255,
      bands: [
        { name: 'class', ...named, resampling: 'mode' },
        { name: 'share', ...named, resampling: 'average' },
      ],
    });
    const verdict = await checkCog(await writeCog(of, makePatchwork('uint8')));
    expect(verdict.tags).not.toHaveProperty('OVERVIEW_RESAMPLING');
    expect(verdict.band_tags.map((tags) => tags['OVERVIEW_RESAMPLING'])).toEqual([
      'MODE',
      'AVERAGE',
    ]);
  });

  it('may number up to 32', async () => {
    const bands = Array.from({ length: 32 }, (_, i) => ({
      name: `b${i}`,
      description: `band ${i}`,
      unit: '1',
    }));
    const of = raster({ width: 70, height: 40, bands, sampleType: 'int16', nodata: -7 });
    const verdict = await checkCog(await writeCog(of, makePatchwork('int16')));
    expect(verdict).toMatchObject({ valid: true, warnings: [], bands: 32 });
  });
});

describe('nodata', () => {
  it.each([
    ['uint8', -1],
    ['uint8', 0.5],
    ['int16', 40_000],
    ['float32', 1e39],
    ['float32', Number.NaN],
  ] as const)(
    'must be a value that fits the sample type: %s rejects %d',
    async (sampleType, nodata) => {
      const of = raster({ sampleType, nodata });
      await expect(writeCog(of, () => 1)).rejects.toThrow(RangeError);
    },
  );
});

describe('sparse tiles', () => {
  const of = raster({ width: 500, height: 333, sparse: true });
  const missing = (col: number, row: number): boolean => col < 256 && row < 192;

  it.each(['row-major', 'by-block'] as const)(
    'are omitted where there is no block, and are read as nodata: %s',
    async (order) => {
      const cells: CellFunction = (col, row) => col + row / 1000;
      const sparse = await writeCog(of, cells, { order, skip: missing });
      const full = await writeCog({ ...of, sparse: false }, cells, { order, skip: missing });
      expect(sparse.length).toBeLessThan(full.length);
      const [found, expected] = [await checkCog(sparse), await checkCog(full)];
      expect(found).toMatchObject({ valid: true, errors: [], warnings: [] });
      expect(found.levels).toEqual(expected.levels);
    },
  );
});

describe.each(COMPRESSIONS)('a raster compressed by %s', (compression) => {
  it.runIf(hasCompression(compression))('is a valid COG that GDAL reads', async () => {
    const band = { name: 'b', description: 'a band', unit: '1' };
    const of = raster({ width: 300, height: 200, bands: [band], compression });
    const cells: CellFunction = (col, row) => Math.fround(Math.sin(col / 20) + row / 9);
    const verdict = await checkCog(await writeCog(of, cells), ['--gdal-overviews']);
    expect(verdict).toMatchObject({ valid: true, errors: [], warnings: [] });
    expect(verdict.structure['COMPRESSION']).toBe(compression.toUpperCase());
    expect(verdict.overview_differences?.every((different) => different === 0)).toBe(true);
  });

  it.runIf(!hasCompression(compression))('is rejected if Node does not support it', async () => {
    await expect(writeCog(raster({ compression }), () => 1)).rejects.toThrow('22.15');
  });
});
