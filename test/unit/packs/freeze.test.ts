import { describe, expect, it } from 'vitest';
import { freezeManifest } from '../../../bin/packs/freeze.ts';
import { loadPack } from '../../../engine/model/pack/pack.ts';
import { aManifest, asJson, createPackFiles, TWO_PERIODS } from '../../support/model/builders.ts';
import { aGeoTiff } from '../../support/model/geotiff-file.ts';

const { graph: _, grid: __, coverage: ___, ...rest } = aManifest();
const href = { '2010-2014': 'early.tif', '2015-2019': 'late.tif' };
const unfrozen = {
  ...rest,
  temporal: TWO_PERIODS,
  covariates: [
    {
      kind: 'raster',
      name: 'mean',
      description: 'mean',
      unit: 'kg/m3',
      href,
      scale: 0.1,
      offset: 0,
    },
  ],
  bands: [{ name: 'mean', description: 'mean', from: { kind: 'target', index: 0 } }],
};

const file = (changes: Partial<Parameters<typeof aGeoTiff>[0]> = {}) =>
  aGeoTiff({
    ...{ width: 36, height: 15, origin: [-180, 85], cellSize: 10, epsg: 4326, nodata: '255' },
    values: Array.from({ length: 36 * 15 }, (_, i) => i % 200),
    ...changes,
  });
const boxOf = (west: number, east: number) => [
  [west, -65],
  [east, -65],
  [east, 85],
  [west, 85],
  [west, -65],
];
const addTag = (item: string, value: number) =>
  file({
    metadata: `<GDALMetadata><Item name="${item}" sample="0">${value}</Item></GDALMetadata>`,
  });
const freezeMap = (early: Uint8Array, late: Uint8Array, manifest: object = unfrozen) =>
  freezeManifest(manifest, createPackFiles({ 'early.tif': early, 'late.tif': late }));

describe('a published map that is not frozen', () => {
  it('is rejected, with the command that freezes it', async () => {
    const files = createPackFiles({ 'manifest.json': asJson(unfrozen) });
    await expect(loadPack(files)).rejects.toThrow(/grid: .*pack-add/);
  });

  it('becomes a pack with the grid and nodata of its files, and covers them', async () => {
    const { manifest, findings } = await freezeMap(file(), file());
    const pack = await loadPack(createPackFiles({ 'manifest.json': asJson(manifest) }));
    expect(pack.manifest.grid).toMatchObject({
      crs: { epsg: 4326 },
      origin: [-180, 85],
      cell_size: 10,
      width: 36,
      height: 15,
    });
    expect(pack.manifest.covariates[0]).toMatchObject({ scale: 0.1, nodata: 255 });
    expect(pack.manifest.coverage).toEqual({ type: 'Polygon', coordinates: [boxOf(-180, 180)] });
    expect(findings).toEqual([
      expect.stringMatching(/2010-2014: 36 × 15 cells of 10 .*scale none, offset none, nodata 255/),
      expect.stringMatching(/2015-2019/),
    ]);
  });

  it.each([
    ['all longitudes, for a map from 0° to 360°', 36, 0, [boxOf(-180, 180)]],
    ['both sides of the antimeridian', 4, 160, [boxOf(160, 180), boxOf(-180, -160)]],
    ["the file's longitudes beyond 180°", 2, 190, [boxOf(-170, -150)]],
  ])('covers %s', async (_what, width, west, boxes) => {
    const layer = file({ width, origin: [west, 85], values: new Array(width * 15).fill(1) });
    const { coverage } = (await freezeMap(layer, layer)).manifest;
    expect(coverage).toEqual(
      boxes.length === 1
        ? { type: 'Polygon', coordinates: boxes }
        : { type: 'MultiPolygon', coordinates: boxes.map((box) => [box]) },
    );
  });

  it('leaves nodata to the files if it is NaN, which JSON cannot state', async () => {
    const layer = file({ nodata: 'nan' });
    const { manifest } = await freezeMap(layer, layer);
    const pack = await loadPack(
      createPackFiles({ 'manifest.json': asJson(manifest), 'early.tif': layer }),
    );
    expect(pack.manifest.covariates[0]).not.toHaveProperty('nodata');
  });

  it("uses the scale of the manifest's band", async () => {
    const item = (band: number, scale: number) =>
      `<Item name="SCALE" sample="${band}">${scale}</Item>`;
    const metadata = `<GDALMetadata>${item(0, 1)}${item(1, 0.1)}</GDALMetadata>`;
    const [covariate] = unfrozen.covariates;
    const layer = file({ metadata });
    const manifest = { ...unfrozen, covariates: [{ ...covariate, band: 2 }] };
    expect((await freezeMap(layer, layer, manifest)).manifest['covariates']).toMatchObject([
      { band: 2, scale: 0.1 },
    ]);
  });

  it('keeps a nodata that differs between periods', async () => {
    const { manifest } = await freezeMap(file(), file({ nodata: '0' }));
    expect(manifest['covariates']).toMatchObject([
      { nodata: { '2010-2014': 255, '2015-2019': 0 } },
    ]);
  });

  it.each([
    ['a file on another grid', file({ cellSize: 5 }), /2015-2019 has .* of 5 .*2010-2014/],
    ['a file without nodata', file({ nodata: undefined } as object), /2015-2019: .*finite nodata/],
    [
      'a file with a different scale from the manifest',
      addTag('SCALE', 1),
      /2015-2019: its scale is 1 in the file, but 0.1/,
    ],
    [
      'a file with a different offset from the manifest',
      addTag('OFFSET', 5),
      /2015-2019: its offset is 5 in the file, but 0/,
    ],
    ['a file that cannot be read', new Uint8Array(8), /2015-2019: /],
  ])('is rejected with %s', async (_what, late, message) => {
    await expect(freezeMap(file(), late)).rejects.toThrow(message);
  });
});
