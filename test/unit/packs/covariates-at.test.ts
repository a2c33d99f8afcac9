import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createCovariateReader } from '../../../bin/packs/covariates-at.ts';
import { findAbsentCovariates, sampleCells } from '../../../bin/packs/sampled-cells.ts';
import { transformOfGrid } from '../../../engine/projection/transform.ts';
import { aManifest, aPack } from '../../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../../support/model/geotiff-file.ts';

const forest = readFileSync(new URL('../../fixtures/onnx/forest.onnx', import.meta.url));
const slope = cellsOf((col, row) => Math.fround(Math.sin(col) + row / 30));
const clay = cellsOf((col, row) => (row === 4 ? -9999 : Math.fround(Math.cos(row * col))));
const contents = {
  'forest.onnx': forest,
  'slope.tif': aGeoTiff({ values: slope }),
  'clay.tif': aGeoTiff({ values: clay, nodata: '-9999' }),
};

/** A position inside a cell, near its south-eastern corner. */
const placeIn = (col: number, row: number) =>
  transformOfGrid(aManifest().grid).inverse([
    500_000 + (col + 0.9) * 10,
    5_600_000 - (row + 0.9) * 10,
  ]);

it('a sample has the covariates of its cell', async () => {
  const at = createCovariateReader(await aPack(aManifest(), contents));
  const centre = [500_125, 5_599_925];
  expect(await at(placeIn(12, 7))).toEqual([slope[7 * 40 + 12], clay[7 * 40 + 12], ...centre]);
});

it('a missing covariate of a sample is NaN, and a sample outside the grid has no covariates', async () => {
  const at = createCovariateReader(await aPack(aManifest(), contents));
  expect((await at(placeIn(12, 4)))?.[1]).toBeNaN();
  expect(await at(placeIn(-1, 4))).toBeNull();
  expect(await at(placeIn(12, 30))).toBeNull();
});

it('covariates without any value on the grid are found', async () => {
  const elsewhere = aGeoTiff({ values: slope, origin: [600_000, 5_600_000] });
  const [first, ...others] = aManifest().covariates;
  const covariates = [{ ...first, resampling: 'nearest' } as typeof first & object, ...others];
  const pack = await aPack(aManifest({ covariates }), { ...contents, 'slope.tif': elsewhere });
  expect(await sampleCells(pack, 1)).toMatchObject({ cells: [] });
  expect(await findAbsentCovariates(pack)).toEqual(['slope']);
});

it('sampled cells have their covariates, and their values in the precision of the raster', async () => {
  const floats = await aPack(aManifest(), contents);
  const bands = aManifest().bands.map((band) => ({ ...band, scale: 0.01, offset: 100 }));
  const raster = { sample_type: 'int16' } as const;
  const integers = await aPack(aManifest({ bands, raster, nodata: -32_768 }), contents);
  const { cells: values } = await sampleCells(floats, 20);
  const { cells: stored } = await sampleCells(integers, 20);
  expect(values).toHaveLength(20);
  for (const [i, { lon_lat, covariates, bands: expected = [] }] of values.entries()) {
    expect(await createCovariateReader(floats)(lon_lat)).toEqual(covariates);
    expect(expected).toHaveLength(2);
    for (const [b, value] of expected.entries()) {
      expect(Math.abs((stored[i]?.bands?.[b] ?? Number.NaN) - value)).toBeLessThanOrEqual(0.005001);
    }
  }
});

it('a sample of more cells than have data contains each of these cells once', async () => {
  const few = cellsOf((col, row) => (col < 5 && row < 3 ? 7 : -9999));
  const land = { ...contents, 'clay.tif': aGeoTiff({ values: few, nodata: '-9999' }) };
  const { cells, tried } = await sampleCells(await aPack(aManifest(), land), 100);
  expect(cells).toHaveLength(15);
  expect(new Set(cells.map(({ xy }) => String(xy))).size).toBe(15);
  expect(tried).toBe(40 * 30);
});
