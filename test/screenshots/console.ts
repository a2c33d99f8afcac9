import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type BatchStatus, isFinal } from 'soil-batch-client';
import { TEXTS } from '../../console/texts.ts';
import { connectTo, job } from '../support/console/batches.ts';
import { enterKey, openConsole, readMiddle } from '../support/console/console.ts';
import { devConsole } from '../support/console/dev-console.ts';
import { writeReport } from '../support/console/report.ts';
import { compressPng } from './compress-png.ts';

// Takes screenshots of each page of the console and of a report, on a desktop and a phone, in light and dark
// mode, with the service of `npm run dev`. All go into a folder to look at; those that a page of docs shows
// also replace the files in docs.

const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const;
const THEMES = ['light', 'dark'] as const;
const SHOWN_IN_DOCS = [
  ...['key', 'fields', 'estimate', 'progress', 'result', 'history'].map(
    (name) => `${name}-desktop-light`,
  ),
  'fields-phone-light',
  'result-phone-dark',
  'report-desktop-light',
];

/** A batch that runs long enough to be seen at work. */
const PLOTS = Array.from({ length: 400 }, (_, at) => {
  const [west, south] = [5.7225 + (at % 20) * 0.0019, 50.9585 + Math.floor(at / 20) * 0.0016];
  return job([west, south, west + 0.0016, south + 0.0013], `Plot ${at + 1}`);
});

const CROSSING = '50.977, 5.739\n50.9805, 5.7455\n50.977, 5.7455\n50.9805, 5.739';

const FOLDER = process.argv[2] ?? '.local/console-screenshots';
const DOCS = 'docs/images/console';
mkdirSync(FOLDER, { recursive: true });
mkdirSync(DOCS, { recursive: true });

// Use the fonts of the Chromium package, so that the pictures look the same on every machine.
process.env['FONTCONFIG_PATH'] = join(tmpdir(), 'fonts');
const served = await devConsole();
const { page, faults } = await openConsole(served.browser, served.url, SIZES.desktop);
const rasters = new Set<string>();
page.on('requestfinished', (request) => {
  const { pathname } = new URL(request.url());
  if (pathname.endsWith('.tif')) rasters.add(pathname);
});

await take('key');
await enterKey(page, `${served.apiKey.slice(0, -4)}AAAA`);
await page.getByText(TEXTS.key.refused).waitFor();
await take('key-refused');
await enterKey(page, served.apiKey);
await page.locator('#map canvas').first().waitFor();
await take('empty');
await page.getByLabel('Go to').fill('42.03, -93.6');
await page.keyboard.press('Enter');
await take('place');
for (let time = 0; time < 9; time++) {
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await waitUntilRedrawn(page);
}
await take('land');
// Leaving the page removes the mark of the place.
await page.getByRole('link', { name: 'Batches' }).click();
await page.getByRole('link', { name: 'Fields' }).click();
await page.getByText('Paste fields').click();
await page.locator('#pasted').fill('50.9665, 5.7345\nnorth, 5.7401');
await page.getByRole('button', { name: 'Add', exact: true }).click();
await take('pasted');
await page.getByText('Paste fields').click();
// The fields in the README's commands, so that readers can make the same maps, and one field that fails.
await page.locator('#file').setInputFiles('examples/fields.gpkg');
await page.getByRole('button', { name: 'Stein 8', exact: true }).waitFor();
await page.getByText('Paste fields').click();
await page.locator('#pasted').fill(CROSSING);
await page.getByRole('button', { name: 'Add', exact: true }).click();
await page.getByText('Paste fields').click();
await page.getByLabel('Year').fill('2021');
await page.getByLabel('Batch name').fill('Fields near Stein');
await page.getByLabel('Batch name').blur();
await take('fields');

await page.getByRole('button', { name: 'Estimate' }).click();
await page.getByRole('button', { name: /^Submit/ }).waitFor();
await take('estimate');

await page.getByRole('link', { name: 'Fields', exact: true }).click();
await page.getByRole('button', { name: 'Remove Field 9' }).click();
await page.getByRole('button', { name: 'Estimate' }).click();
await page.getByRole('button', { name: /^Submit/ }).click();
await page.getByRole('heading', { name: 'All fields together' }).waitFor();
await waitForRasters(8);
await take('progress');
await page.getByRole('button', { name: 'Details of Stein 6' }).click();
await page.getByRole('table', { name: 'Patch-batches' }).waitFor();
await take('details');

await page.getByRole('link', { name: 'Stein 6' }).click();
await page.getByLabel('Shown on the map').waitFor();
await readMiddle(page);
await take('result');
await page.getByLabel('Shown on the map').selectOption({ label: 'Width of the 90 % interval' });
await page.getByText('Download with curl').click();
await take('result-width');

const running = await readRunning();
// The page shows this status while the screenshots are taken, although the batch finishes meanwhile.
const isItsStatus = ({ pathname }: URL) => pathname === `/v1/batch/${running.batch_id}/status`;
await page.route(isItsStatus, (route) =>
  route.fulfill({ json: running, headers: { 'Retry-After': '600' } }),
);
await page.evaluate(`location.hash = '#/batch/${running.batch_id}'`);
await page.getByRole('button', { name: 'Cancel the batch' }).waitFor();
await take('running');
await page.getByRole('button', { name: 'Cancel the batch' }).click();
await page.getByRole('dialog').waitFor();
await take('cancel');
await page.keyboard.press('Escape');
await page.unroute(isItsStatus);

await page.getByRole('link', { name: 'Batches' }).click();
await page.locator('tbody tr').first().waitFor();
await take('history');
await page.evaluate(`location.hash = '#/batch/0b7c6a52-5a0f-4b5e-9d8c-2f1f6f6f3a11'`);
await page.getByText(/has no batch with this/).waitFor();
await take('unknown');
await page.goto(await writeReport(served));
await take('report');
await served.close();
// Other errors than those of the rejected key and the unknown batch are printed.
for (const fault of faults) if (!/ (401|404) /.test(fault)) console.error(fault);

async function readRunning(): Promise<BatchStatus> {
  const client = connectTo(served);
  const { batch_id: id } = await client.createBatch({ jobs: PLOTS });
  for (;;) {
    const status = await client.batch(id).status({ jobs: 'all' });
    if (isFinal(status)) throw new Error('the batch finished before its status was read');
    if (status.completed_jobs > 10) return status;
    await page.waitForTimeout(100);
  }
}

async function waitForRasters(wanted: number): Promise<void> {
  while (rasters.size < wanted || (await hasFills())) await page.waitForTimeout(100);
}

/** Whether the map fills a field with the yellow to brown colour of its mean, as it does until it has the cells. */
function hasFills(): Promise<boolean> {
  return page.evaluate<boolean>(`
    [...document.querySelectorAll('#map > .ol-viewport > .ol-layers canvas')].some((canvas) => {
      const context = canvas.getContext('2d');
      // WebGL draws the cells on a separate canvas.
      if (context === null) return false;
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      return data.some((red, at) => at % 4 === 0 && red - data[at + 2] > 15);
    })
  `);
}

async function take(name: string): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      await waitUntilRedrawn(page);
      const image = compressPng(await page.screenshot());
      const file = `${name}-${size}-${colorScheme}`;
      writeFileSync(join(FOLDER, `${file}.png`), image);
      if (SHOWN_IN_DOCS.includes(file)) writeFileSync(join(DOCS, `${file}.png`), image);
    }
  }
  await page.setViewportSize(SIZES.desktop);
}

async function waitUntilRedrawn(at: Page): Promise<void> {
  await at.evaluate('new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn), 600))');
}
