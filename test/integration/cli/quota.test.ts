import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliService, cliHere, eventsOf, startCliService } from '../../support/cli-service.ts';
import { writeFields } from './field-files.ts';

const DAY_MS = 86_400_000;

const folder = mkdtempSync(path.join(tmpdir(), 'cli-quota-'));
let service: CliService;
let days = 0;

beforeAll(async () => {
  const clock = () => new Date(Date.now() + days * DAY_MS);
  service = await startCliService({ clock, limits: { jobsPerDay: 4 } });
  const fields = Array.from({ length: 6 }, (_, index) => ({ id: `field ${index}` }));
  writeFields(path.join(folder, 'fields.geojson'), fields);
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

describe('a run that needs more than a day’s quota', () => {
  const run = () =>
    cliHere(['run', 'fields.geojson', '--year', '2021', '--out', 'maps', '--yes', '--json'], {
      service,
      cwd: folder,
    });
  const rasters = () =>
    readdirSync(path.join(folder, 'maps')).filter((name) => name.endsWith('.tif'));
  const created = () => service.requests.filter((one) => one === 'POST /v1/batch').length;

  it('predicts what fits today, and exits with 4', async () => {
    const result = await run();
    expect(result.code).toBe(4);
    expect(eventsOf(result)[0]).toMatchObject({ event: 'estimate', quota: { fits: false } });
    expect(eventsOf(result).at(-1)).toMatchObject({ completed_jobs: 4, not_submitted_jobs: 2 });
    expect(rasters()).toHaveLength(4);
  });

  it('is still waiting when it is repeated on the same day', async () => {
    expect((await run()).code).toBe(4);
    expect(rasters()).toHaveLength(4);
  });

  it('continues with the same command on the next day', async () => {
    days = 1;
    const before = created();
    const result = await run();
    expect(result.code).toBe(0);
    expect(created()).toBe(before + 1);
    expect(eventsOf(result).at(-1)).toMatchObject({ completed_jobs: 6, not_submitted_jobs: 0 });
    expect(rasters()).toHaveLength(6);
  });
});
