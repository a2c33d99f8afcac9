import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { LOCAL_FOLDER } from '../../../local/paths.ts';
import {
  batchInEachState,
  createBatchOf,
  jobText,
  SUMMARY,
} from '../../support/api/batch-with-results.ts';
import { resultsCall } from '../../support/api/service.ts';
import { parseCsv } from '../../support/client/parse-csv.ts';

const PYTHON = path.join(LOCAL_FOLDER, 'venv', 'bin', 'python');
const folder = mkdtempSync(path.join(tmpdir(), 'soil-batch-'));
afterAll(() => rmSync(folder, { recursive: true }));

const opened = z.object({
  crs: z.string().nullable(),
  types: z.record(z.string(), z.string()),
  columns: z.record(z.string(), z.array(z.string().nullable())),
  geometries: z.array(z.boolean()).nullable(),
});
const reading = z.object({
  geojson: opened,
  flattened: opened,
  csv: opened,
  rows: z.array(z.array(z.string())),
});

const file = (name: string) => path.join(folder, name);

describe('the table of a batch', async () => {
  const { results, jobIds } = await batchInEachState();
  const csv = (await results('csv')).text;
  writeFileSync(file('results.geojson'), (await results('geojson')).text);
  writeFileSync(file('results.csv'), csv);
  const script = path.join(import.meta.dirname, 'read_results.py');
  const output = execFileSync(PYTHON, [script, file('results.geojson'), file('results.csv')]);
  const read = reading.parse(JSON.parse(output.toString()));

  it('has the same columns and types in GeoJSON as in CSV, as GDAL reads them', () => {
    const { id, properties, ...columns } = read.geojson.types;
    expect(read.geojson.crs).toBe('EPSG:4326');
    expect(properties).toBe('OFTString/OFSTJSON');
    const { properties: text, ...inCsv } = read.csv.types;
    expect(inCsv).toEqual(columns);
    expect(columns).toMatchObject({
      job_index: 'OFTInteger',
      name: 'OFTString',
      error_retryable: 'OFTInteger/OFSTBoolean',
      data_period_start: 'OFTInteger',
      mean: 'OFTReal',
      stock_t: 'OFTReal',
      unit: 'OFTString',
      completed_at: 'OFTDateTime',
      results_expire_at: 'OFTDateTime',
    });
  });

  it('has a row for each job, with the geometry if the job has one', () => {
    expect(read.geojson.columns['job_id']).toEqual(jobIds);
    expect(read.geojson.geometries).toEqual([true, true, true, false]);
    expect(read.csv.columns['job_id']).toEqual(jobIds);
    expect(read.csv.columns['mean']).toEqual([String(SUMMARY.mean), null, null, null]);
    expect(read.csv.columns['name']?.slice(0, 2)).toEqual(['Zürich, "field"', "'=1+1"]);
  });

  it('has a column for each property if GDAL flattens them', () => {
    expect(read.flattened.columns['properties_parcel']).toEqual(['A-17', null, null, null]);
  });

  it('is read alike by Python’s csv module and by a parser of the grammar in RFC 4180', () => {
    expect(read.rows).toEqual(parseCsv(csv));
  });

  it('is an ItemCollection whose Items are valid in pystac', async () => {
    const input = (await results('stac')).text;
    const check = path.join(import.meta.dirname, 'check_stac.py');
    const items = JSON.parse(execFileSync(PYTHON, [check], { input, encoding: 'utf8' }));
    expect(items.map(({ status }: { status: string }) => status)).toEqual([
      'completed',
      'failed',
      'processing',
      'pending',
    ]);
    expect(items[0].schemas).toHaveLength(6);
    expect(items[1]).toMatchObject({ schemas: [expect.stringContaining('item.json')], assets: {} });
  });
});

describe('the documented commands', async () => {
  const [, section = ''] = readFileSync('docs/rasters.md', 'utf8').split(
    '### One table for a batch',
  );
  const block = (language: string) =>
    new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(section)?.[1] ?? '';

  it('write all CSV pages into one file, from which pandas turns the properties into columns', async () => {
    // Each of these characters takes three bytes in a CSV row, and six in Lambda's response.
    const text = '"'.repeat(1_000);
    const jobs = Array.from({ length: 1_000 }, (_, index) =>
      jobText({ polygon: {}, properties: { index, text } }),
    );
    const batch = await createBatchOf(...jobs);
    const requests: string[] = [];
    const server = createServer(async ({ url = '', headers }, response) => {
      requests.push(String(headers.authorization));
      const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
      const { port } = server.address() as AddressInfo;
      const call = resultsCall(pathname.split('/')[3] ?? '', {
        query: Object.fromEntries(searchParams),
        variables: { base_url: `http://127.0.0.1:${port}` },
      });
      const page = await batch.service.batchResults(call);
      response.writeHead(page.status, page.headers as Record<string, string>).end(page.text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    rmSync(file('results.csv'));
    const commands = spawn('bash', ['-euc', block('bash')], {
      cwd: folder,
      stdio: 'inherit',
      env: {
        ...process.env,
        V2_URL: `http://127.0.0.1:${port}`,
        BATCH_ID: batch.batchId,
        API_KEY: 'soc_key',
      },
    });
    expect(await new Promise((resolve) => commands.on('exit', resolve))).toBe(0);
    server.close();
    expect(requests).toEqual(['Bearer soc_key', 'Bearer soc_key']);
    expect(parseCsv(readFileSync(file('results.csv'), 'utf8'))).toHaveLength(1_001);

    const script = `${block('python')}\nprint(table.to_json())`;
    const table = JSON.parse(
      execFileSync(PYTHON, ['-c', script], { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 }),
    );
    expect(Object.values(table.job_id)).toEqual(batch.jobIds);
    expect(Object.values(table.properties_index)).toEqual(jobs.map((_, index) => index));
  });
});
