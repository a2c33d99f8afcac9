import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliService, cliHere, eventsOf, startCliService } from '../../support/cli-service.ts';
import { BOW_TIE, writeFields } from './field-files.ts';

/** More than are predicted before the batch is cancelled. */
const FIELDS = 60;

const folder = mkdtempSync(path.join(tmpdir(), 'cli-retry-'));
let service: CliService;

beforeAll(async () => {
  service = await startCliService();
  const fields = Array.from({ length: FIELDS }, (_, index) => ({ id: `field ${index}` }));
  const faulty = { id: 'bow tie', geometry: BOW_TIE };
  writeFields(path.join(folder, 'fields.geojson'), [faulty, ...fields]);
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const call = (...args: readonly string[]) => cliHere(args, { service, cwd: folder });

/** The rows of the table by the field's id: its cells. */
function table(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(path.join(folder, 'maps/results.csv'), 'utf8').trimEnd();
  const [, ...rows] = text.split('\r\n').map((row) => row.split(','));
  return new Map(rows.map(([id = '', ...cells]) => [id, cells]));
}

const rasters = () =>
  readdirSync(path.join(folder, 'maps')).filter((name) => name.endsWith('.tif'));

describe('a run that was cancelled', () => {
  it('keeps the maps that were finished', async () => {
    const start = ['submit', 'fields.geojson', '--year', '2021', '--name-field', 'id'];
    expect((await call(...start, '--out', 'maps', '--yes')).code).toBe(0);
    const cancelled = await call('cancel', 'maps', '--json');
    expect(cancelled.code).toBe(0);
    expect((await call('watch', 'maps')).code).toBe(3);
    const downloaded = await call('download', 'maps', '--json');
    expect(downloaded.code).toBe(3);
    expect(eventsOf(downloaded).at(-1)).toMatchObject({ completed_jobs: rasters().length });
    expect(rasters().length).toBeLessThan(FIELDS);
    expect(table().get(`field ${FIELDS - 1}`)).toContain('cancelled');
  });

  it('is completed by a retry, whose jobs replace those that were cancelled', async () => {
    const before = rasters();
    const retried = await call('retry', 'maps', '--json');
    expect(retried.code).toBe(3);
    const events = eventsOf(retried);
    const again = events.find(({ event }) => event === 'retried');
    expect(again?.['total_jobs']).toBe(FIELDS - before.length);
    expect(events.at(-1)).toMatchObject({ completed_jobs: FIELDS, failed_jobs: 1 });
    expect(rasters()).toHaveLength(FIELDS);
    const rows = table();
    expect(rows.size).toBe(FIELDS + 1);
    expect(rows.get(`field ${FIELDS - 1}`)).toContain('completed');
    expect(rows.get('bow tie')).toContain('geometry_self_intersection');
    const { totals } = JSON.parse(readFileSync(path.join(folder, 'maps/totals.json'), 'utf8'));
    expect(totals).toMatchObject({ total_jobs: FIELDS + 1, included_jobs: FIELDS });
    expect(totals.left_out).toMatchObject([{ error_code: 'geometry_self_intersection', jobs: 1 }]);
  });

  it('has nothing left to retry', async () => {
    const again = await call('retry', 'maps', '--json');
    expect(again.code).toBe(3);
    expect(again.stderr).toContain('No failed job can be retried.');
    expect(eventsOf(again).filter(({ event }) => event === 'retried')).toEqual([]);
  });

  it('shows its newest batch', async () => {
    const { code, stdout } = await call('status', 'maps');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[\da-f-]{36} {2}completed/);
    const list = await call('list', '--json');
    expect(eventsOf(list)).toHaveLength(2);
    expect(eventsOf(list)[0]).toMatchObject({ retry_of: expect.any(String) });
  });
});
