import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createPackCatalogue } from '../../../../engine/model/pack/catalogue.ts';
import { listDigestedFiles, listS3Objects } from '../../../../engine/model/pack/digests.ts';
import { listPackPeriods } from '../../../../engine/model/pack/periods.ts';
import { predictWindow } from '../../../../engine/model/predict-window.ts';
import { findFileProblems } from '../../../../engine/model/verify-pack.ts';
import { aManifest, aPack, asJson, createPackFiles } from '../../../support/model/builders.ts';
import { aGeoTiff } from '../../../support/model/geotiff-file.ts';

const forest = readFileSync(new URL('../../../fixtures/onnx/forest.onnx', import.meta.url));
const CELLS = 40 * 30;
const flat = (value: number, file: Partial<Parameters<typeof aGeoTiff>[0]> = {}) =>
  aGeoTiff({ values: Array.from({ length: CELLS }, () => value), ...file });

const FILES: Record<string, string> = { '2010-2014': 'early.tif', '2015-2019': 'late.tif' };

function makeDatedManifest(href: string | Record<string, string> = FILES, secondStart = 2015) {
  const [slope, ...others] = aManifest().covariates;
  if (slope?.kind !== 'raster') throw new Error('the first covariate is a raster');
  return aManifest({
    temporal: {
      kind: 'period',
      periods: [
        { years: [2010, 2014], data_period: [2009, 2015] },
        { years: [secondStart, 2019], data_period: [2015, 2020] },
      ],
    },
    covariates: [{ ...slope, href }, ...others],
  });
}

describe('a pack with covariates by period', () => {
  const files = {
    'forest.onnx': forest,
    'clay.tif': flat(20),
    'early.tif': flat(1),
    // The same slope, stored as 2; its first cell is missing.
    'late.tif': aGeoTiff({
      values: Array.from({ length: CELLS }, (_, i) => (i === 0 ? 255 : 2)),
      nodata: '255',
      metadata: '<GDALMetadata><Item name="SCALE" sample="0">0.5</Item></GDALMetadata>',
    }),
  };

  it("reads the year's files, each with its own scale and nodata", async () => {
    const catalogue = createPackCatalogue([await aPack(makeDatedManifest(), files)]);
    const predicted = async (year: number) => {
      const pack = catalogue.findForYear('plain', year) ?? expect.fail('no map');
      const window = { col: 0, row: 0, width: 2, height: 1 };
      return predictWindow(pack, window, Uint8Array.of(1, 1));
    };
    const [early, late] = [await predicted(2010), await predicted(2019)];
    expect([early.predicted, late.predicted]).toEqual([2, 1]);
    expect(late.cells[0]).toBe(-9999);
    expect(late.cells.slice(2)).toEqual(early.cells.slice(2));
  });

  it('reads its model once for all periods', async () => {
    const counted = createPackFiles({ ...files, 'manifest.json': asJson(makeDatedManifest()) });
    let graphs = 0;
    const pack = await aPack(makeDatedManifest(), files);
    const readFile = async (href: string) => {
      if (href === 'forest.onnx') graphs += 1;
      return counted.readFile(href);
    };
    const window = { col: 1, row: 0, width: 1, height: 1 };
    for (const map of listPackPeriods({ ...pack, files: { ...counted, readFile } })) {
      await predictWindow(map, window, Uint8Array.of(1));
    }
    expect(graphs).toBe(1);
  });

  it("is rejected, naming the file, if a period's file is missing", async () => {
    const { 'late.tif': _, ...others } = files;
    expect(await findFileProblems(await aPack(makeDatedManifest(), others))).toEqual([
      { field: 'covariates[0].href.2015-2019', message: expect.stringContaining('late.tif') },
    ]);
  });

  it('lists the local files of all periods for digests, and their S3 objects for permissions', async () => {
    const s3 = { '2010-2014': 'early.tif', '2015-2019': 's3://covariates/late.tif' };
    const { manifest } = await aPack(makeDatedManifest(s3), {});
    expect(listDigestedFiles(manifest)).toEqual([
      'manifest.json',
      'forest.onnx',
      'early.tif',
      'clay.tif',
    ]);
    expect(listS3Objects(manifest)).toEqual([{ bucket: 'covariates', key: 'late.tif' }]);
  });

  it.each([
    ['temporal.periods[1].years', makeDatedManifest(FILES, 2014)],
    ['covariates[0].href', makeDatedManifest({ '2010-2014': 'early.tif' })],
    ['covariates[0].href', makeDatedManifest({ ...FILES, '2020-2024': 'later.tif' })],
    ['covariates[0].href', aManifest({ covariates: makeDatedManifest().covariates })],
    ['covariates[0].href.2015-2019', makeDatedManifest({ ...FILES, '2015-2019': '/etc/passwd' })],
  ])('is rejected at %s if its periods or their files are invalid', async (field, manifest) => {
    await expect(aPack(manifest, {})).rejects.toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ field })]),
    });
  });
});
