import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aBox } from '../../support/box.ts';
import { FIELD, FIELD_AND_SPECK, FLOOD_PLAIN, TINY } from '../../support/domain/polygons.ts';
import { aManifest, asJson } from '../../support/model/builders.ts';
import { aGeoTiff } from '../../support/model/geotiff-file.ts';
import { trainingFile } from '../../support/model/training-points.ts';
import { MEUSE, makeFolder, makeResult, verifyFiles } from './verified-result.ts';

const folder = makeFolder();

const GLOBAL = {
  ...aManifest().grid,
  crs: { epsg: 4326, name: 'WGS 84', proj4: '+proj=longlat +datum=WGS84' },
  origin: [-180, 50] as [number, number],
  cell_size: 0.001,
  width: 360_000,
  height: 100_000,
};

const WIDE = { ...aManifest().grid, width: 200, height: 150, block_tiles: 2 as const };

function writePackFolder(
  name: string,
  grid: typeof GLOBAL | typeof WIDE,
  changes: NonNullable<Parameters<typeof aManifest>[0]>,
): string {
  const pack = mkdtempSync(join(folder, `${name}-`));
  const { width, height, origin, cell_size: cellSize, crs } = grid;
  const values = (value: (col: number, row: number) => number) =>
    aGeoTiff({
      width,
      height,
      origin: [origin[0] ?? 0, origin[1] ?? 0],
      cellSize,
      epsg: crs.epsg,
      values: Array.from({ length: width * height }, (_, i) =>
        value(i % width, Math.floor(i / width)),
      ),
    });
  cpSync('test/fixtures/onnx/forest.onnx', join(pack, 'forest.onnx'));
  writeFileSync(
    join(pack, 'slope.tif'),
    values((col, row) => 2 * Math.sin(col / 5 + row / 30)),
  );
  writeFileSync(
    join(pack, 'clay.tif'),
    values((_, row) => 2 * Math.cos(row / 7)),
  );
  writeFileSync(join(pack, 'manifest.json'), asJson(aManifest({ grid, ...changes })));
  return pack;
}

describe('the verification', () => {
  it.each([
    { title: 'no cell centre', polygon: TINY },
    { title: 'a part with no cell centre', polygon: FIELD_AND_SPECK },
    { title: 'cells without covariates', polygon: FLOOD_PLAIN },
    {
      title: 'a Feature around the polygon',
      polygon: { type: 'Feature', geometry: FIELD, properties: {} },
    },
  ])('confirms a polygon with $title', async ({ title, polygon }) => {
    const found = await verifyFiles(await makeResult(folder, title, polygon), MEUSE);
    expect(found).toMatchObject({ verified: true, changed: [], cells: { differing: 0 } });
  });

  it('confirms integers with scale and offset in a sparse raster across the antimeridian', async () => {
    const [first, second] = aManifest().bands;
    if (first === undefined || second === undefined) throw new Error('two bands');
    const coarse = { ...GLOBAL, cell_size: 1, width: 360, height: 100 };
    const pack = writePackFolder('global', coarse, {
      grid: GLOBAL,
      covariates: aManifest().covariates.map((covariate) =>
        covariate.kind === 'raster' ? { ...covariate, resampling: 'bilinear' } : covariate,
      ),
      raster: { sample_type: 'int16', sparse: true },
      bands: [
        { ...first, scale: 0.01 },
        { ...second, scale: 0.001, offset: 5 },
      ],
      nodata: -32_768,
      coverage: aBox(-180, -50, 180, 50),
    });
    const parts = [aBox(179.95, -17, 180, -16.96), aBox(-180, -17, -179.97, -16.98)];
    const polygon = {
      type: 'MultiPolygon',
      coordinates: parts.map(({ coordinates }) => coordinates),
    };
    const files = await makeResult(folder, 'antimeridian', polygon, pack);
    const found = await verifyFiles(files, pack);
    expect(found).toMatchObject({
      verified: true,
      changed: [],
      cells: { inside: 50 * 40 + 30 * 20, differing: 0 },
    });
  });

  it('confirms a band of the area of applicability', async () => {
    const points = Array.from({ length: 20 }, (_, i) => [i / 10, 0, 5e5 + 100 * i, 5.6e6 - i]);
    const pack = writePackFolder('applicability', WIDE, {
      applicability: {
        ...{ href: 'training.f32', points: 20, weights: [1, 0, 0.5, 0], how: 'by hand' },
        ...{ mean_distance: 1.2, threshold: 0.3 },
      },
      bands: [
        ...aManifest().bands,
        { name: 'applicability', description: '1 inside', from: { kind: 'applicability' } },
      ],
      coverage: aBox(3.0001, 50.53, 3.03, 50.5517),
    });
    writeFileSync(join(pack, 'training.f32'), trainingFile(points));
    const field = aBox(3.0003, 50.541, 3.026, 50.551);
    const files = await makeResult(folder, 'applicability', field, pack);
    const found = await verifyFiles(files, pack);
    expect(found).toMatchObject({ verified: true, changed: [], cells: { differing: 0 } });
    const { properties, assets } = JSON.parse(readFileSync(files.item, 'utf8'));
    const [, , band] = assets.data.bands;
    const { outside_applicability_share: outside } = properties['soil:summary'];
    expect(outside).toBeGreaterThan(0.1);
    expect(band).toMatchObject({ unit: '1', statistics: { minimum: 0, maximum: 1 } });
    expect(band.statistics.mean).toBeCloseTo(1 - outside, 5);
  });

  it('confirms a graph that runs on ONNX Runtime, in blocks of several tiles', async () => {
    const pack = writePackFolder('network', WIDE, {
      graph: { href: 'forest.onnx', format: 'onnx', targets: 1 },
      bands: [{ name: 'mean', description: 'mean', from: { kind: 'target', index: 0 } }],
      coverage: aBox(3.0001, 50.53, 3.03, 50.5517),
    });
    cpSync('test/fixtures/models/sklearn-network.onnx', join(pack, 'forest.onnx'));
    const files = await makeResult(folder, 'network', aBox(3.0003, 50.541, 3.026, 50.551), pack);
    const found = await verifyFiles(files, pack);
    expect(found).toMatchObject({ verified: true, changed: [], cells: { differing: 0 } });
  });
});
