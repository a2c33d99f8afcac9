import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_TYPES } from '../../../engine/raster/cog/sample-type.ts';
import { connectTo, finishedBatch, openPage } from '../../support/console/batches.ts';
import { readMiddle } from '../../support/console/console.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { chooseSome } from '../../support/runs.ts';
import { CORNERED, writeFormatPacks } from './format-packs.ts';
import { compressByZstd, readCell } from './rasterio.ts';
import { serveRaster } from './serve-raster.ts';

const folder = mkdtempSync(join(tmpdir(), 'console-formats-'));
const fileOf = (name: string) => join(folder, `${name}.tif`);

let served: DevConsole;
let page: Page;
let faults: readonly string[];
const addresses = new Map<string, string>();

beforeAll(async () => {
  const modelsFolder = join(folder, 'models');
  mkdirSync(modelsFolder);
  const modelPacks = [...writeFormatPacks(modelsFolder)];
  served = await devConsole({ modelsFolder, modelPacks });
  const jobs = modelPacks.map((model) => ({ year: 2000, polygon: CORNERED, model, name: model }));
  const { batch_id: id } = await finishedBatch(served, { jobs });
  const batch = connectTo(served).batch(id);
  for await (const { job_id, name } of batch.jobs()) {
    const response = await fetch(await batch.resultUrl(job_id));
    writeFileSync(fileOf(`${name}`), Buffer.from(await response.arrayBuffer()));
    addresses.set(`${name}`, `#/batch/${id}/${job_id}`);
  }
  ({ page, faults } = await openPage(served, '#/fields'));
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true });
});

const formatShown = (value: number) =>
  new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);

/** Opens a result, and compares both bands in the middle with the values that rasterio reads. */
async function expectValues(model: string, file: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(addresses.get(model))}`);
  await page.getByRole('heading', { name: model }).waitFor();
  await page.getByLabel('Shown on the map').selectOption('other');
  const { text, lon, lat } = await readMiddle(page);
  const { values, valid } = await readCell(file, lon, lat);
  const [mean = Number.NaN, other = Number.NaN] = values;
  expect(text).toContain(`${formatShown(mean)} kg/m³`);
  expect(text).toContain(`other: ${formatShown(other)} kg/m³`);
  // The page counts the cells of the raster, or of its overview.
  await page
    .getByText(new RegExp(`${new Intl.NumberFormat('en').format(valid)} (\\w+ )?cells`))
    .waitFor();
  expect(faults).toEqual([]);
}

describe('a result stored as', () => {
  it.each([...SAMPLE_TYPES, 'sparse', 'degrees'])(
    '%s, compressed by DEFLATE, is shown',
    async (model) => {
      await expectValues(model, fileOf(model));
    },
  );

  it.each(chooseSome(SAMPLE_TYPES))('%s, compressed by ZSTD, is shown', async (model) => {
    const zstd = fileOf(`${model}-zstd`);
    await compressByZstd(fileOf(model), zstd);
    // The map may still read tiles of the previous result, which must stay as they are.
    const jobId = addresses.get(model)?.split('/').at(-1);
    await serveRaster(page, readFileSync(zstd), `**/results/*/${jobId}.tif*`);
    await expectValues(model, zstd);
  });
});

describe('the fields page', () => {
  it('predicts with the model that the user chooses, and shows its years', async () => {
    await page.evaluate("location.hash = '#/fields'");
    const years = page.getByRole('listitem').filter({ hasText: 'data of 2000–2001' });
    await expect.poll(() => years.count()).toBe(SAMPLE_TYPES.length + 2);
    await page.getByRole('combobox', { name: 'Model' }).selectOption('sparse@1.0.0');
    expect(await years.count()).toBe(1);
    await page.getByText('Paste fields').click();
    await page.getByLabel('GeoJSON, or corners of a field').fill(JSON.stringify(CORNERED));
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const estimate = page.waitForRequest((request) => request.url().endsWith('/estimate'));
    await page.getByRole('button', { name: 'Estimate' }).click();
    expect((await estimate).postDataJSON()).toMatchObject({ model: 'sparse@1.0.0' });
    await page.getByText('sparse@1.0.0', { exact: true }).waitFor();
  });
});
