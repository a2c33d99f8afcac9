import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliService, cliHere, eventsOf, startCliService } from '../../support/cli-service.ts';
import { BOW_TIE, writeFields } from './field-files.ts';

/** Would change the title of a terminal. */
const HOSTILE = 'Bow\u001b]0;x\u0007tie';

const folder = mkdtempSync(path.join(tmpdir(), 'cli-run-'));
const file = path.join(folder, 'fields.geojson');
let service: CliService;

beforeAll(async () => {
  service = await startCliService();
  writeFields(file, [{ id: 'North' }, { id: HOSTILE, geometry: BOW_TIE }, { id: 'South' }]);
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const run = (...args: readonly string[]) =>
  cliHere(['run', 'fields.geojson', '--name-field', 'id', ...args], { service, cwd: folder });
const rasters = (out: string) =>
  readdirSync(path.join(folder, out)).filter((name) => name.endsWith('.tif'));

describe('soil-batch run', () => {
  it('shows what would fail, and starts only when told to', async () => {
    const result = await run('--year', '2021');
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('--yes');
    expect(result.stdout).toMatch(/Jobs +3 in 1 batch/);
    expect(result.stdout).not.toContain('\u001b');
    expect(result.stdout).toMatch(
      /geometry_self_intersection: .*lon 5\.74.*\n +Bow\\u001b\]0;x\\u0007tie \(2021\)/,
    );
    expect(readdirSync(folder)).toEqual(['fields.geojson']);
    expect(service.requests).not.toContain('POST /v1/batch');
  });

  it('downloads a raster for each field that can be predicted, and exits with 3', async () => {
    const result = await run('--year', '2021', '--yes');
    expect(result.code).toBe(3);
    expect(rasters('fields_2021')).toEqual(['North_2021.tif', 'South_2021.tif']);
    expect(result.stdout).toContain('1 job failed:');
    expect(result.stdout).toContain('failed.geojson');
    // The analyst asked for a year that the static model of this service ignores.
    expect(result.stdout).toMatch(
      /Warning for 2 jobs: .*requested year \(2021\) makes no difference/,
    );
  });

  it('prints the total of the fields, keeps it, and writes a report without the service', async () => {
    const out = path.join(folder, 'fields_2021');
    const { totals } = JSON.parse(readFileSync(path.join(out, 'totals.json'), 'utf8'));
    expect(totals).toMatchObject({ included_jobs: 2, left_out: [{ jobs: 1 }] });
    expect(totals.totals[0].lower).toBeLessThan(totals.totals[0].mean);
    const sent = service.requests.length;
    const result = await cliHere(['report', 'fields_2021'], { cwd: folder });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(service.requests).toHaveLength(sent);
    const page = readFileSync(path.join(out, 'report.html'), 'utf8');
    expect(page).toContain('North');
    const raster = readFileSync(path.join(out, 'North_2021.tif'));
    const [, polygon = '-'] = /POLYGON_SHA256"[^>]*>(\w+)/.exec(raster.toString('latin1')) ?? [];
    expect(page).toContain(polygon);
    for (const content of [raster, readFileSync(file)]) {
      expect(page).toContain(createHash('sha256').update(content).digest('hex'));
    }
  });

  it('names each file that was changed or removed since, uses none of them, and repairs the tables', async () => {
    const out = path.join(folder, 'fields_2021');
    const edit = (name: string, change: (text: string) => string) =>
      writeFileSync(
        path.join(out, name),
        change(readFileSync(path.join(out, name), 'latin1')),
        'latin1',
      );
    const raster = readFileSync(path.join(out, 'North_2021.tif'));
    edit('North_2021.tif', (text) => `${text.slice(0, -1)}!`);
    edit('totals.json', (text) => text.replace(/"mean": \d+/, '"mean": 987654'));
    edit('results.csv', (text) => text.replaceAll('meuse', 'mouse'));
    rmSync(path.join(out, 'models.json'));
    rmSync(path.join(out, 'South_2021.tif'));
    const result = await cliHere(['report', 'fields_2021'], { cwd: folder });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(
      /Changed.*results\.csv, totals\.json, North_2021\.tif.*Missing.*models\.json, South_2021\.tif/,
    );
    const page = readFileSync(path.join(out, 'report.html'), 'utf8');
    expect(page).toContain('class="alert"');
    expect(page).not.toContain('987,654');
    writeFileSync(path.join(out, 'North_2021.tif'), raster);
    expect((await cliHere(['download', 'fields_2021'], { service, cwd: folder })).code).toBe(3);
    expect(await cliHere(['report', 'fields_2021'], { cwd: folder })).toMatchObject({ code: 0 });
  });

  it('writes a table with the attributes and outcome of each field, its faults, and a style', () => {
    const out = path.join(folder, 'fields_2021');
    const [header = '', ...rows] = readFileSync(path.join(out, 'results.csv'), 'utf8').split(
      '\r\n',
    );
    expect(header).toMatch(/^\uFEFFid,crop,/);
    expect(rows.filter((row) => row !== '')).toHaveLength(3);
    const failed = JSON.parse(readFileSync(path.join(out, 'failed.geojson'), 'utf8'));
    expect(failed.features[0].properties).toMatchObject({ name: HOSTILE });
    const names = readdirSync(out);
    expect(names).toContain('results.gpkg');
    expect(names.filter((name) => /\.(vrt|qml)$/.test(name))).toHaveLength(2);
  });

  it('does nothing more when it is repeated', async () => {
    const before = service.requests.length;
    const modified = statSync(path.join(folder, 'fields_2021/North_2021.tif')).mtimeMs;
    const result = await run('--year', '2021');
    expect(result.code).toBe(3);
    const repeated = service.requests.slice(before);
    expect(repeated.filter((one) => one.startsWith('GET /results'))).toEqual([]);
    expect(repeated.filter((one) => one.startsWith('POST'))).toEqual([]);
    // To wait until the batch is finished; its jobs are in the folder.
    expect(repeated.filter((one) => one.endsWith('/status'))).toHaveLength(1);
    expect(statSync(path.join(folder, 'fields_2021/North_2021.tif')).mtimeMs).toBe(modified);
  });

  it('is not started for years that give the same map, which it names before it costs anything', async () => {
    const created = () => service.requests.filter((one) => one === 'POST /v1/batch').length;
    const before = created();
    const result = await run('--year', '2021,2022', '--out', 'same', '--yes');
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/same map.*1990–1993, for 2021, 2022.*2 jobs.*--same-maps/);
    expect(result.stdout).toMatch(/Maps +meuse-soc@\S+, data of 1990–1993, for 2021, 2022/);
    expect(created()).toBe(before);
    expect(readdirSync(folder)).not.toContain('same');
  });

  it('reports each step as a line of JSON', async () => {
    const result = await run(
      '--year',
      '2021,2022',
      '--out',
      'two-years',
      '--yes',
      '--same-maps',
      '--json',
    );
    expect(result.code).toBe(3);
    const events = eventsOf(result);
    expect(events[0]).toMatchObject({
      event: 'estimate',
      total_jobs: 6,
      failing_jobs: [
        { name: HOSTILE, year: 2021 },
        { name: HOSTILE, year: 2022 },
      ],
    });
    const kinds = new Set(events.map(({ event }) => event));
    expect([...kinds]).toEqual([
      ...['estimate', 'submitted', 'progress', 'downloaded', 'written', 'total', 'left_out'],
      'finished',
    ]);
    expect(events.at(-1)).toMatchObject({ completed_jobs: 4, failed_jobs: 2, exit_code: 3 });
    expect(rasters('two-years')).toHaveLength(4);
  });

  it('does not mix two runs in one folder', async () => {
    // The same field by another file of the same name, whose own folder would be this one.
    writeFields(path.join(folder, 'fields.json'), [{ id: 'North' }]);
    const options = ['--year', '2021', '--name-field', 'id', '--yes'];
    const call = { service, cwd: folder };
    const namesake = await cliHere(['run', 'fields.json', ...options], call);
    expect(namesake.code).toBe(1);
    expect(namesake.stderr).toMatch(/fields_2021 holds the run of fields\.geojson: .*--out/);
    const taken = await cliHere(['run', 'fields.json', ...options, '--out', 'fields_2021'], call);
    expect(taken.code).toBe(0);
    expect(taken.stderr).toMatch(/was of fields\.geojson; fields\.json takes its place/);
    const other = await run('--year', '2022', '--out', 'fields_2021', '--yes');
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('--out');
    const notEmpty = await run('--year', '2022', '--out', '.', '--yes');
    expect(notEmpty.code).toBe(1);
    expect(notEmpty.stderr).toContain('is not empty');
  });
});
