import { describe, expect, it } from 'vitest';
import { predictWindow } from '../../../engine/model/predict-window.ts';
import { aManifest, aPack } from '../../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../../support/model/geotiff-file.ts';

const layer = (name: string) => ({
  kind: 'raster' as const,
  ...{ name, description: name, unit: 'kg/m3', href: `${name}.tif`, scale: 0.1, nodata: 65_535 },
});

const makeBounded = () => {
  const { graph: _, ...manifest } = aManifest();
  return {
    ...manifest,
    covariates: [layer('mean'), layer('p16'), layer('p84')],
    bands: [
      { name: 'mean', description: 'mean', from: { kind: 'target' as const, index: 0 } },
      { name: 'p16', description: '', from: { kind: 'target' as const, index: 1, level: 0.16 } },
      { name: 'p84', description: '', from: { kind: 'target' as const, index: 2, level: 0.84 } },
    ].map((band) => ({ ...band, description: band.name })),
  };
};

const stored = (share: number, missing = -1) =>
  aGeoTiff({ values: cellsOf((col) => (col === missing ? 65_535 : 10 * (col + 1) * share)) });

const files = { 'mean.tif': stored(1), 'p16.tif': stored(0.5, 2), 'p84.tif': stored(2) };

describe('a pack without a graph', () => {
  it('predicts its decoded covariates, and nothing where one is missing', async () => {
    const pack = await aPack(makeBounded(), files);
    const window = { col: 1, row: 0, width: 2, height: 1 };
    const { cells, predicted } = await predictWindow(pack, window, Uint8Array.of(1, 1));
    expect([...cells]).toEqual([2, 1, 4, -9999, -9999, -9999]);
    expect(predicted).toBe(1);
  });

  it('is rejected with other targets or a distribution', async () => {
    const manifest = makeBounded();
    const [first, ...others] = manifest.bands;
    const from = { kind: 'target' as const, index: 3 };
    const bands = [{ ...first, from } as typeof first & object, ...others];
    const distribution = { first_target: 0, thresholds: [1, 2], lower: 0, upper: 3 };
    await expect(aPack({ ...manifest, bands, distribution }, {})).rejects.toMatchObject({
      problems: [
        expect.objectContaining({ field: 'bands[0].from.index' }),
        expect.objectContaining({ field: 'distribution' }),
      ],
    });
  });
});

it('a manifest overrides a tag of a file', async () => {
  const metadata = '<GDALMetadata><Item name="SCALE" sample="0">0.5</Item></GDALMetadata>';
  const tagged = aGeoTiff({ values: cellsOf(() => 10), nodata: '65535', metadata });
  const pack = await aPack(makeBounded(), { ...files, 'mean.tif': tagged });
  const window = { col: 0, row: 0, width: 1, height: 1 };
  const { cells } = await predictWindow(pack, window, Uint8Array.of(1));
  expect(cells[0]).toBe(1);
});
