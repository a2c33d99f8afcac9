import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readCovariates } from '../../../../engine/model/covariates/covariates.ts';
import { predictWindow } from '../../../../engine/model/predict-window.ts';
import { aManifest, aPack } from '../../../support/model/builders.ts';
import { aGeoTiff } from '../../../support/model/geotiff-file.ts';

/** A raster of the whole Earth in degrees, in which each value is the column's index. */
const world = aGeoTiff({
  values: Array.from({ length: 360 * 180 }, (_, i) => i % 360),
  width: 360,
  height: 180,
  origin: [-180, 90],
  cellSize: 1,
  epsg: 4326,
});
const crs = { epsg: 4326, name: 'WGS 84', proj4: '+proj=longlat +datum=WGS84' };
const [slope, clay] = aManifest().covariates;
const rasters = [slope, clay].flatMap((covariate) =>
  covariate?.kind === 'raster' ? [{ ...covariate, href: 'world.tif' }] : [],
);
const longitude = { kind: 'coordinate', name: 'x', description: 'longitude', axis: 'x' } as const;
const latitude = { kind: 'coordinate', name: 'y', description: 'latitude', axis: 'y' } as const;
const contents = {
  'world.tif': world,
  'forest.onnx': readFileSync('test/fixtures/onnx/forest.onnx'),
};

describe('a pack with a global grid', () => {
  const grid = {
    ...aManifest().grid,
    crs,
    origin: [-180, 90],
    cell_size: 1,
    width: 360,
    height: 180,
  };
  const manifest = aManifest({
    grid: grid as ReturnType<typeof aManifest>['grid'],
    covariates: [...rasters, longitude, latitude],
  });
  const over = { col: 355, row: 40, width: 10, height: 3 };

  it('reads the covariates of its first columns past its last column', async () => {
    const read = await readCovariates(await aPack(manifest, contents), over);
    const row = [355, 356, 357, 358, 359, 0, 1, 2, 3, 4];
    expect([...(read?.[0] ?? [])]).toEqual([...row, ...row, ...row]);
    expect([...(read?.[2]?.subarray(3, 7) ?? [])]).toEqual([178.5, 179.5, -179.5, -178.5]);
  });

  it('predicts the same across the seam as on either side', async () => {
    const pack = await aPack(manifest, contents);
    const all = (width: number) => new Uint8Array(width * 3).fill(1);
    const { cells } = await predictWindow(pack, over, all(10));
    const [west, east] = [
      await predictWindow(pack, { ...over, width: 5 }, all(5)),
      await predictWindow(pack, { ...over, col: 0, width: 5 }, all(5)),
    ];
    for (let row = 0; row < 3; row += 1) {
      const at = row * 20;
      expect([...cells.subarray(at, at + 10)]).toEqual([
        ...west.cells.subarray(row * 10, row * 10 + 10),
      ]);
      expect([...cells.subarray(at + 10, at + 20)]).toEqual([
        ...east.cells.subarray(row * 10, row * 10 + 10),
      ]);
    }
  });

  it('rejects windows wider than 360°', async () => {
    const wide = { col: 1, row: 0, width: 361, height: 1 };
    const prediction = predictWindow(await aPack(manifest, contents), wide, new Uint8Array(361));
    await expect(prediction).rejects.toThrow('360 × 180 cells');
  });
});

describe('a pack whose grid is four columns wider than the Earth', () => {
  /** The surplus columns have a distinct value, which no cell may take. */
  const wide = aGeoTiff({
    values: Array.from({ length: 364 * 180 }, (_, i) => (i % 364 < 360 ? i % 364 : 9_999)),
    ...{ width: 364, height: 180, origin: [-182, 90] as const, cellSize: 1, epsg: 4326 },
  });
  const grid = { ...aManifest().grid, crs, cell_size: 1, width: 364, height: 180 };
  const manifest = (resampling: 'nearest' | 'bilinear', west: number) =>
    aManifest({
      grid: { ...grid, origin: [west, 90] as [number, number] },
      covariates: [...rasters.map((raster) => ({ ...raster, resampling })), longitude, latitude],
    });

  it.each(['nearest', 'bilinear'] as const)(
    'reads no surplus column with %s resampling',
    async (resampling) => {
      const pack = await aPack(manifest(resampling, -182), { ...contents, 'world.tif': wide });
      const [values] =
        (await readCovariates(pack, { col: 356, row: 9, width: 8, height: 1 })) ?? [];
      expect([...(values ?? [])]).toEqual([356, 357, 358, 359, 0, 1, 2, 3]);
    },
  );

  it('reads a raster with surplus columns on a grid that starts at another meridian', async () => {
    const pack = await aPack(manifest('nearest', -2), { ...contents, 'world.tif': wide });
    const [values] = (await readCovariates(pack, { col: 176, row: 9, width: 8, height: 1 })) ?? [];
    expect([...(values ?? [])]).toEqual([356, 357, 358, 359, 0, 1, 2, 3]);
  });

  it('rejects windows wider than 360°', async () => {
    const pack = await aPack(manifest('nearest', -182), { ...contents, 'world.tif': wide });
    const window = { col: 0, row: 0, width: 361, height: 1 };
    await expect(predictWindow(pack, window, new Uint8Array(361))).rejects.toThrow(RangeError);
  });
});

describe('a pack whose grid crosses 180°', () => {
  it.each(['nearest', 'bilinear'] as const)(
    'reads a raster of the whole Earth with %s resampling',
    async (resampling) => {
      const grid = { ...aManifest().grid, crs, cell_size: 0.5, width: 12, height: 4 };
      const manifest = aManifest({
        grid: { ...grid, origin: [177, 10] },
        covariates: [...rasters.map((raster) => ({ ...raster, resampling })), longitude, latitude],
      });
      const window = { col: 0, row: 0, width: 12, height: 1 };
      const [values] = (await readCovariates(await aPack(manifest, contents), window)) ?? [];
      expect(values?.some(Number.isNaN)).toBe(false);
      if (resampling === 'nearest') {
        expect([...(values ?? [])]).toEqual([357, 357, 358, 358, 359, 359, 0, 0, 1, 1, 2, 2]);
      }
    },
  );
});

describe('a raster of the whole Earth on another grid', () => {
  const [width, height] = [72, 36];
  const value = (col: number, row: number): number =>
    Math.sin((col / width) * 6 * Math.PI) * 10 + ((col * 7 + row * 13) % 5) + row;
  /** The raster in a file that starts at this meridian. */
  const cutAt = (west: number) =>
    aGeoTiff({
      values: Array.from({ length: width * height }, (_, i) =>
        value(((i % width) + (west + 180) / 5) % width, Math.floor(i / width)),
      ),
      ...{ width, height, origin: [west, 90] as const, cellSize: 5, epsg: 4326 },
    });

  async function read(file: Uint8Array, resampling: 'nearest' | 'bilinear') {
    const grid = { ...aManifest().grid, crs, origin: [160, 75] as [number, number], cell_size: 1 };
    const [raster] = rasters;
    if (raster === undefined) throw new Error('the builder has no raster');
    const covariates = [{ ...raster, resampling }];
    const manifest = aManifest({ grid: { ...grid, width: 40, height: 150 }, covariates });
    const pack = await aPack(manifest, { ...contents, 'world.tif': file });
    const [values = []] =
      (await readCovariates(pack, { col: 0, row: 0, width: 40, height: 150 })) ?? [];
    return [...values];
  }

  it.each(['nearest', 'bilinear'] as const)(
    'has the same values across 180° wherever the file is cut: %s',
    async (resampling) => {
      const whole = await read(cutAt(0), resampling);
      expect(whole.some(Number.isNaN)).toBe(false);
      const other = await read(cutAt(-180), resampling);
      const off = other.map((value, i) => Math.abs(value - (whole[i] ?? Number.NaN)));
      expect(Math.max(...off)).toBeLessThan(resampling === 'nearest' ? 1e-9 : 1e-5);
    },
  );

  it('interpolates across 180°', async () => {
    const values = await read(cutAt(-180), 'bilinear');
    // The cell centre at 179.5°, 74.5° lies 0.4 columns past the last column's centre and 0.4 rows above the
    // fourth row's.
    const mean = (row: number) => value(71, row) * 0.6 + value(0, row) * 0.4;
    expect(values[19]).toBeCloseTo(mean(3) * 0.6 + mean(2) * 0.4, 4);
  });
});
