import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOCAL_FOLDER } from '../../local/paths.ts';
import { batchInEachState, SUMMARY } from '../support/api/batch-with-results.ts';

const PYTHON = process.env['QGIS_PYTHON'] ?? '/usr/bin/python3';
const SCRIPT = path.join(import.meta.dirname, 'open_table.py');
const FOLDER = path.join(LOCAL_FOLDER, 'qgis');

const section = readFileSync('docs/rasters.md', 'utf8').split('### One table for a batch')[1] ?? '';

describe('the results of a batch', async () => {
  const { results } = await batchInEachState();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path.join(FOLDER, 'results.geojson'), (await results('geojson')).text);

  const opened = (file: string, expression: string) =>
    JSON.parse(
      execFileSync(PYTHON, [SCRIPT, path.join(FOLDER, file), expression], { encoding: 'utf8' }),
    );

  it('have typed numbers and times, and the documented expression finds a property', () => {
    const [, expression = ''] = /`("properties"\[.*?\])`/.exec(section) ?? [];
    const { valid, types, values } = opened('results.geojson', expression);
    expect(valid).toBe(true);
    expect(types).toMatchObject({ mean: 'Real', year: 'Integer', completed_at: 'DateTime' });
    expect(values).toEqual(['A-17', null, null, null]);
  });

  it('become a GeoPackage with a column for each property, with the documented command', () => {
    const command = /^ogr2ogr .*$/m.exec(section)?.[0] ?? '';
    rmSync(path.join(FOLDER, 'results.gpkg'), { force: true });
    execFileSync('bash', ['-euc', command], { cwd: FOLDER });
    const { values } = opened('results.gpkg', '"properties_parcel"');
    expect(values).toEqual(['A-17', null, null, null]);
    expect(opened('results.gpkg', '"mean"').values).toEqual([SUMMARY.mean, null, null, null]);
  });
});
