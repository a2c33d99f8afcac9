import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliService, cliHere, eventsOf, startCliService } from '../../support/cli-service.ts';
import { parseCsv } from '../../support/client/parse-csv.ts';
import { BOW_TIE, triangle, writeFields } from './field-files.ts';

const DAY_MS = 86_400_000;

const folder = mkdtempSync(path.join(tmpdir(), 'cli-corrected-'));
let service: CliService;
let days = 0;

beforeAll(async () => {
  service = await startCliService({ clock: () => new Date(Date.now() + days * DAY_MS) });
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

type Fields = Parameters<typeof writeFields>[1];

const call = (...args: readonly string[]) => cliHere(args, { service, cwd: folder });

/** The same command each time, with these fields in its file. */
async function run(out: string, fields: Fields, command = 'run') {
  writeFields(path.join(folder, `${out}.geojson`), fields);
  const options = ['--year', '2021', '--name-field', 'id', '--out', out, '--yes', '--json'];
  const result = await call(command, `${out}.geojson`, ...options);
  const events = eventsOf(result);
  return {
    ...result,
    submitted: events.flatMap((one) => (one['event'] === 'submitted' ? [one['total_jobs']] : [])),
    finished: events.at(-1),
  };
}

const at = (...names: readonly string[]) => path.join(folder, ...names);
const rasters = (out: string) => readdirSync(at(out)).filter((name) => name.endsWith('.tif'));

/** The rows of the table, by the name of the field. */
function rows(out: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const [header = [], ...cells] = parseCsv(readFileSync(at(out, 'results.csv'), 'utf8').slice(1));
  const table = cells.map((row) =>
    Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])),
  );
  return new Map(table.map((row) => [row['name'] ?? '', row]));
}

const north = { id: 'North', geometry: triangle(0) };
const south = { id: 'South', geometry: triangle(1) };
const twin = { id: 'South', geometry: triangle(2) };

describe('a file that is corrected after its run', () => {
  it('has a failed row for a field without geometry; the other fields are predicted', async () => {
    const first = await run('maps', [
      ...[north, { id: 'Bow', geometry: BOW_TIE }, south, twin],
      ...[
        { id: 'Lost', geometry: null },
        { id: 'Empty', geometry: { type: 'Polygon', coordinates: [] } },
      ],
    ]);
    expect(first.code).toBe(3);
    expect(first.submitted).toEqual([6]);
    expect(first.finished).toMatchObject({ completed_jobs: 3, failed_jobs: 3 });
    expect(rasters('maps')).toEqual(['North_2021.tif', 'South_2021-2.tif', 'South_2021.tif']);
    expect(rows('maps').get('Lost')).toMatchObject({ error_code: 'geometry_malformed', path: '' });
  });

  it('submits only what has changed, wherever it is in the file, and keeps the names of the files', async () => {
    const modified = statSync(at('maps/South_2021-2.tif')).mtimeMs;
    const second = await run('maps', [
      ...[
        { id: 'New', geometry: triangle(20) },
        { id: 'Bow', geometry: triangle(21) },
      ],
      ...[twin, north],
    ]);
    expect(second.submitted).toEqual([2]);
    expect(second.code).toBe(0);
    expect(second.finished).toMatchObject({ completed_jobs: 4, failed_jobs: 0 });
    const table = rows('maps');
    expect([...table.keys()]).toEqual(['New', 'Bow', 'South', 'North']);
    expect(table.get('South')?.['path']).toBe('South_2021-2.tif');
    for (const [, { status, mean }] of table)
      expect([status, Number(mean)]).toEqual(['completed', expect.any(Number)]);
    expect(statSync(at('maps/South_2021-2.tif')).mtimeMs).toBe(modified);
  });

  it('has a total of the fields as they are now', () => {
    const { totals } = JSON.parse(readFileSync(at('maps/totals.json'), 'utf8'));
    expect(totals).toMatchObject({ total_jobs: 4, included_jobs: 4, left_out: [] });
    expect(totals).toMatchObject({ batch_ids: { length: 2 }, excluded_jobs: 4 });
    const hectares = [...rows('maps').values()].reduce(
      (sum, row) => sum + Number(row['area_ha']),
      0,
    );
    expect(totals.totals[0].area_ha).toBeCloseTo(hectares, 4);
  });

  it('reports no total of earlier fields while the corrected ones are not downloaded', async () => {
    const totals = async () => {
      await call('report', 'later');
      return readFileSync(at('later/report.html'), 'utf8').includes('<table class="totals">');
    };
    expect((await run('later', [north, south])).code).toBe(0);
    expect(await totals()).toBe(true);
    const corrected = [north, { ...south, geometry: triangle(22) }];
    expect((await run('later', corrected, 'submit')).submitted).toEqual([1]);
    expect(await totals()).toBe(false);
    expect((await run('later', corrected)).code).toBe(0);
    expect(await totals()).toBe(true);
  });

  it('has no map of a field that fails now, and its report misses none', async () => {
    const broken = { id: 'Bow', geometry: BOW_TIE };
    const fields = [{ id: 'New', geometry: triangle(20) }, broken, twin, north];
    expect(await run('maps', fields)).toMatchObject({ code: 3, submitted: [1] });
    expect(rasters('maps')).not.toContain('Bow_2021.tif');
    expect(await call('report', 'maps')).toMatchObject({ code: 0, stderr: '' });
  });

  it('needs no batch when fields were only removed or renamed', async () => {
    const third = await run('maps', [{ ...north, id: 'Nord' }, twin]);
    expect(third.submitted).toEqual([]);
    expect(rows('maps').get('Nord')).toMatchObject({ status: 'completed', path: 'North_2021.tif' });
  });

  it('names the maps of removed fields, which stay in the folder', async () => {
    const { stderr } = await run('maps', [twin]);
    expect(stderr).toContain('North_2021.tif');
    expect(stderr).not.toContain('Bow_2021.tif');
    expect(rasters('maps')).toContain('North_2021.tif');
  });

  it('is not taken for another file', async () => {
    const other = await run('maps', [{ id: 'Elsewhere', geometry: triangle(50) }]);
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/a run of other fields.* --out/);
    expect(rows('maps').size).toBe(1);
  });

  it('does not submit what an earlier version of the file had, when its jobs are retried', async () => {
    const retried = await call('retry', 'maps', '--all', '--json');
    expect(eventsOf(retried).filter(({ event }) => event === 'retried')).toEqual([]);
    expect(retried.code).toBe(0);
  });
});

describe('a run whose results have expired', () => {
  const fields = [north, south];

  it('keeps the rows of what was downloaded, and submits nothing', async () => {
    expect((await run('kept', fields)).code).toBe(0);
    const before = rows('kept');
    days = 30;
    const { code, submitted } = await run('kept', fields);
    expect({ code, submitted }).toEqual({ code: 0, submitted: [] });
    expect(rows('kept')).toEqual(before);
  });

  it('runs again what was never downloaded, and says so', async () => {
    days = 40;
    expect((await run('late', fields, 'submit')).code).toBe(0);
    expect((await call('watch', 'late')).code).toBe(0);
    days = 80;
    const downloaded = await call('download', 'late');
    expect(downloaded.code).toBe(3);
    expect(downloaded.stdout).toContain('2 results expired');
    const { code, submitted, stderr } = await run('late', fields);
    expect({ code, submitted }).toEqual({ code: 0, submitted: [2] });
    expect(stderr).toContain('2 results expired');
    expect(rasters('late')).toEqual(['North_2021.tif', 'South_2021.tif']);
  });
});
