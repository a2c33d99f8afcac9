import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packWarnings } from '../../../bin/packs/pack-warnings.ts';
import { loadPack } from '../../../engine/model/pack/pack.ts';
import { openPackFolder } from '../../../engine/model/pack/pack-folder.ts';
import { aManifest, aPack } from '../../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../../support/model/geotiff-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'trained-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** One line without clay. */
const training = [
  'id,carbon,slope,clay,x,y',
  'a,31.5,0.123456789,2,500005,5599995',
  'b,12.25,7.5,,500015,5599985',
  'c,80,3,4,500395,5599705',
].join('\n');

function written(...more: readonly string[]) {
  const [manifest, table] = ['manifest.json', 'training.csv'].map((name) => join(folder, name));
  if (manifest === undefined || table === undefined) throw new Error('two files');
  writeFileSync(manifest, JSON.stringify(aManifest()));
  writeFileSync(table, training);
  const command = ['-m', 'soil_packs.trained_values', manifest, table, 'carbon', ...more];
  const { status, stderr } = spawnSync('.local/venv/bin/python', command, {
    encoding: 'utf8',
    env: { PYTHONPATH: 'models/tools' },
  });
  return { status, stderr, manifest: JSON.parse(readFileSync(manifest, 'utf8')) };
}

describe('the values of the training', () => {
  it('are written to the manifest, of the samples with all covariates', async () => {
    const { manifest } = written('--classes', 'clay');
    expect(manifest.trained_range).toEqual([31.5, 80]);
    expect(manifest.covariates).toMatchObject([
      { name: 'slope', trained_range: [0.123456, 3] },
      { name: 'clay', trained_classes: [2, 4] },
      { name: 'x', trained_range: [500005, 500395] },
      { name: 'y', trained_range: [5599700, 5600000] },
    ]);
    const values = cellsOf(() => 1);
    const file = aGeoTiff({ values });
    const pack = await aPack(manifest, { 'slope.tif': file, 'clay.tif': file });
    expect(await packWarnings(pack)).toEqual([]);
  });

  it('are refused of a covariate that the manifest lacks', () => {
    const { status, stderr } = written('--classes', 'soil');
    expect(stderr).toContain('soil');
    expect(status).toBe(1);
  });

  it('are in the default pack', async () => {
    const pack = await loadPack(openPackFolder('models/meuse-soc'));
    expect(await packWarnings(pack)).toEqual([]);
  });
});
