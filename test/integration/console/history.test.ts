import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { unzipSync } from 'fflate';
import type { Download, Page } from 'playwright-core';
import type { BatchStatus } from 'soil-batch-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEXTS } from '../../../console/texts.ts';
import { readStageConfig } from '../../../lib/config/each-stage.ts';
import {
  connectTo,
  FIELD,
  finishedBatch,
  HOSTILE,
  invalidJob,
  job,
  openPage,
} from '../../support/console/batches.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { measureOverflowAt320 } from './accessibility.ts';

const BATCHES = 22;

const PARCEL = 9_007_199_254_740_991;
const LONG_NAME = 'W'.repeat(255);

let served: DevConsole;
let unnamedId: string;
let receiver: Server;
let received = 0;
let partial: BatchStatus;
let page: Page;
let faults: readonly string[];
beforeAll(async () => {
  receiver = createServer((_, response) => {
    received++;
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { webhooks } = readStageConfig('local');
  served = await devConsole({
    webhooks: { ...webhooks, schemes: ['https', 'http'], ports: 'any', privateReceivers: 'allow' },
  });
  const unnamed = [invalidJob('crossed'), invalidJob('crossed')];
  ({ batch_id: unnamedId } = await connectTo(served).createBatch({ jobs: unnamed }));
  await connectTo(served).createBatch({ name: LONG_NAME, jobs: [invalidJob('crossed')] });
  for (let at = 1; at < BATCHES - 2; at++) {
    await connectTo(served).createBatch({ name: `batch ${at}`, jobs: [invalidJob('crossed')] });
  }
  partial = await finishedBatch(
    served,
    JSON.stringify({
      name: HOSTILE,
      webhook_url: `http://127.0.0.1:${port}/${encodeURIComponent(HOSTILE)}`,
      webhook_secret: 'a secret of this test',
      jobs: [
        { ...job(FIELD, 'whole'), properties: { parcel: PARCEL } },
        { ...invalidJob('crossed'), properties: { [HOSTILE]: HOSTILE } },
      ],
    }),
  );
  ({ page, faults } = await openPage(served, '#/history'));
});
afterAll(async () => {
  await served.close();
  receiver.close();
});

/** The columns that the command writes after the fields' own columns. */
const columnsOfCommand: readonly string[] = JSON.parse(
  execFileSync('.local/venv/bin/python', [
    '-c',
    'import json; from soil_batch.results.columns import RESULT_COLUMNS; print(json.dumps([one.name for one in RESULT_COLUMNS]))',
  ]).toString(),
);

const rows = () => page.getByRole('table', { name: 'Batches' }).locator('tbody tr');

async function readDownload(button: string): Promise<Download> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  return download;
}

describe('the list of batches', () => {
  it('shows page after page, with names as plain text', async () => {
    await page.getByRole('link', { name: HOSTILE }).waitFor();
    const first = await rows().count();
    expect(first).toBeLessThan(BATCHES);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => rows().count()).toBe(BATCHES);
    expect(await page.getByRole('button', { name: 'Show more' }).isVisible()).toBe(false);
    expect(await page.locator('main img, main script').count()).toBe(0);
  });

  it('has room for a long name', async () => {
    const [long, inList] = [
      page.getByRole('link', { name: LONG_NAME }),
      await measureOverflowAt320(page),
    ];
    await long.click();
    await page.getByRole('heading', { name: LONG_NAME }).waitFor();
    expect([inList, await measureOverflowAt320(page)]).toEqual([0, 0]);
    await page.getByRole('link', { name: 'Batches' }).click();
  });

  it('describes a batch without a name by its contents, and its page has an ID to copy', async () => {
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('link', { name: /^2 fields, [A-Z][a-z]{2} \d/ }).click();
    await page.getByRole('heading', { name: /^2 fields, / }).waitFor();
    await page.getByText(unnamedId).waitFor();
    await page.getByRole('button', { name: 'Copy the ID' }).click();
    await page.getByText(/^Copied|^Selected; copy/).waitFor();
    await page.getByRole('link', { name: 'Batches' }).click();
  });

  it('can be filtered by state, name and day', async () => {
    const filter = page.getByRole('button', { name: 'Filter' });
    await page.getByRole('combobox', { name: 'State' }).selectOption('partial');
    await filter.click();
    await expect.poll(() => rows().count()).toBe(1);
    await page.getByLabel('State').selectOption('');
    await page.getByLabel('Name contains').fill('TCH 3');
    await filter.click();
    await expect.poll(() => rows().allTextContents()).toEqual([expect.stringMatching(/^batch 3F/)]);
    await page.getByLabel('Created until').fill('2020-01-01');
    await filter.click();
    await page.getByText(TEXTS.history.none).waitFor();
  });

  it.each([
    ['without a cursor', () => null, TEXTS.history.none],
    ['with endless new cursors', (page: number) => `${page}`, TEXTS.history.more],
  ])('ends even if the service sends empty pages %s', async (_, cursorOf, text) => {
    const list = /\/v1\/batch(\?|$)/;
    let pages = 0;
    await page.route(list, (route) => {
      const body = { batches: [], has_more: false, next_cursor: cursorOf(++pages) };
      return route.fulfill({ contentType: 'application/json', body: JSON.stringify(body) });
    });
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText(text, { exact: true }).and(page.locator(':not(:disabled)')).waitFor();
    expect(pages).toBeLessThan(50);
    await page.unroute(list);
  });

  it('opens a batch by its URL, and says so if a text contains no ID', async () => {
    const address = page.getByLabel('ID or URL of a batch or job');
    await address.fill('batch 3');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText(TEXTS.history.noId).waitFor();
    await address.fill(`${served.url}/v1/batch/${partial.batch_id}/status?jobs=none`);
    await address.press('Enter');
    await page.getByText(TEXTS.progress.counts(1, 1, 2)).waitFor();
  });

  it.each([
    // An ID of version 7 starts with its time in milliseconds (RFC 9562, 5.7).
    ['has expired', '0189b4f0-0000-7000-8000-000000000000', TEXTS.errors.expired],
    ['is unknown', '0b7c6a52-5a0f-4b5e-9d8c-2f1f6f6f3a11', TEXTS.errors.noBatch],
  ])('explains that a batch %s, and says how long batches are kept', async (_, id, explain) => {
    await page.evaluate(`location.hash = '#/batch/${id}'`);
    const { retention_days: days } = await connectTo(served).limits();
    await page
      .getByRole('alert')
      .filter({ hasText: explain(days) })
      .waitFor();
    await page.evaluate(`location.hash = '#/batch/${partial.batch_id}'`);
    await page.getByText(TEXTS.progress.counts(1, 1, 2)).waitFor();
  });
});

describe('the page of a final batch', () => {
  it('offers its table, and all its rasters in one archive', async () => {
    const csv = await readDownload('Table as CSV');
    expect(csv.suggestedFilename()).toMatch(/^[^/\\<>"]+\.csv$/);
    const text = readFileSync(await csv.path(), 'utf8');
    const [header = '', ...lines] = text
      .replace(/^\uFEFF/, '')
      .trim()
      .split('\r\n');
    expect(header.split(',').slice(-columnsOfCommand.length)).toEqual(columnsOfCommand);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(new RegExp(`^${PARCEL},,whole,`));
    const geojson = await readDownload('Table as GeoJSON');
    const table = JSON.parse(readFileSync(await geojson.path(), 'utf8'));
    expect(table.features).toHaveLength(2);
    const archive = await readDownload('All rasters as ZIP');
    const files = unzipSync(new Uint8Array(readFileSync(await archive.path())));
    const names = Object.keys(files);
    const stem = expect.stringMatching(/^img-src-x-onerror-[\w.-]+_whole_1990-1993\.(tif|qml)$/);
    expect(names).toEqual([stem, stem, 'results.csv']);
    const [raster = '', style = ''] = names;
    expect(lines.map((line) => line.includes(`,${raster},`))).toEqual([true, false]);
    expect(Buffer.from(files[style] ?? []).toString()).toContain('<qgis');
    expect(Buffer.from(files['results.csv'] ?? []).toString()).toBe(text);
    const jobs = connectTo(served).batch(partial.batch_id).jobs({ status: 'completed' });
    for await (const { result } of jobs) {
      expect(files[raster]).toHaveLength(result?.bytes ?? Number.NaN);
    }
  });

  it('offers a table of several pages as one file', async () => {
    const results = connectTo(served).batch(partial.batch_id).results();
    const { text: body } = (await results.next()).value ?? {};
    await page.route('**/results?format=geojson**', (route) => {
      const isLast = route.request().url().includes('cursor');
      const link = `<${served.url}/v1/batch/x/results?cursor=2>; rel="next"`;
      const headers = { 'Content-Type': 'application/geo+json', ...(isLast ? {} : { Link: link }) };
      return route.fulfill({ headers, body: `${body}` });
    });
    const text = readFileSync(await (await readDownload('Table as GeoJSON')).path(), 'utf8');
    await page.unroute('**/results?format=geojson**');
    expect(JSON.parse(text)).toMatchObject({ type: 'FeatureCollection', features: { length: 4 } });
    expect(text.split(`"parcel":${PARCEL}`)).toHaveLength(3);
  });

  it('shows the deliveries of its webhook, and can deliver it again', async () => {
    await page.getByText('Webhook deliveries').click();
    const attempts = page.getByRole('table', { name: 'Webhook deliveries' }).locator('tbody tr');
    await expect.poll(() => attempts.count(), { timeout: 30_000 }).toBe(1);
    await page.getByText(TEXTS.batch.states.acknowledged, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Deliver again' }).click();
    await expect.poll(() => attempts.count(), { timeout: 60_000 }).toBe(2);
    expect(received).toBe(2);
  });

  it('offers no retry of a job that would fail again', async () => {
    expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
    // These errors come from requests for the unknown and the expired batch.
    expect(faults.filter((fault) => !/status of 4(04|10)/.test(fault))).toEqual([]);
  });
});
