import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliService, cliHere, eventsOf, startCliService } from '../../support/cli-service.ts';
import { BOW_TIE, triangle, writeFields } from './field-files.ts';

const FIELDS = 1_200;
const FIELDS_PER_MAP = 50;

const folder = mkdtempSync(path.join(tmpdir(), 'cli-many-'));
let service: CliService;

beforeAll(async () => {
  const limits = { jobsPerDay: 10_000, hectaresPerDay: 100_000, requestsPerMinute: 1_000_000 };
  service = await startCliService({ limits });
  // Fields that fail at once cost no prediction.
  const fields = Array.from({ length: FIELDS }, (_, index) => ({
    id: `${index}`,
    geometry: index % FIELDS_PER_MAP === 0 ? triangle(index / FIELDS_PER_MAP) : BOW_TIE,
  }));
  writeFields(path.join(folder, 'fields.geojson'), fields);
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

it('1,200 fields become 2 batches and one table', async () => {
  const args = ['run', 'fields.geojson', '--year', '2021', '--out', 'maps', '--yes', '--json'];
  const result = await cliHere(args, { service, cwd: folder });
  expect(result.code).toBe(3);
  const submitted = eventsOf(result).filter(({ event }) => event === 'submitted');
  expect(submitted.map(({ total_jobs }) => total_jobs)).toEqual([1_000, 200]);
  const names = readdirSync(path.join(folder, 'maps'));
  const table = readFileSync(path.join(folder, 'maps/results.csv'), 'utf8').trimEnd().split('\r\n');
  expect(table).toHaveLength(1 + FIELDS);
  expect(names.filter((name) => name.endsWith('.tif'))).toHaveLength(FIELDS / FIELDS_PER_MAP);
});
