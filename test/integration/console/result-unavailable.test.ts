import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TEXTS } from '../../../console/texts.ts';
import { newBatchId } from '../../../lambdas/domain/identity.ts';
import { connectTo } from '../../support/console/batches.ts';
import { openResult, STATUS } from './opened-result.ts';
import { reproject } from './rasterio.ts';
import { serveRaster, serveResultAgain } from './serve-raster.ts';

const { folder, raster, served, batch, jobIds, address, page, uncaught, go, cellsOfBars, close } =
  await openResult();
afterAll(close);

const histogramDrawn = () => expect.poll(async () => (await cellsOfBars()).length).toBe(24);

/** A part of a failed read may reject before geotiff.js awaits it. */
const unexpected = () => uncaught.filter(({ message }) => message !== 'Error fetching data.');

describe('the result page of a raster that cannot be shown', () => {
  const { unreadable, misplaced } = TEXTS.result;

  it('says that the raster cannot be read when access is refused, and can read it again', async () => {
    await go('#/fields');
    await page.route('**/results/**', (route) => route.fulfill({ status: 403 }));
    await go(address);
    await page.getByText(unreadable).waitFor();
    await serveResultAgain(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await histogramDrawn();
    expect(await page.getByText(unreadable).count()).toBe(0);
    expect(await page.locator('h1:focus').count()).toBe(1);
  });

  it.each<[string, (bytes: Buffer) => Buffer | Promise<Buffer>, string]>([
    ['truncated in its tiles', (bytes) => bytes.subarray(0, 0.6 * bytes.length), unreadable],
    ['truncated in its header', (bytes) => bytes.subarray(0, 100), unreadable],
    ['empty', () => Buffer.alloc(0), unreadable],
    ['replaced by HTML', () => Buffer.from('<!doctype html><p>Sign in'), unreadable],
    ['in another reference system', inUtm, misplaced],
  ])('says that it cannot show a raster that is %s', async (_, damaged, text) => {
    await go('#/fields');
    await serveRaster(page, await damaged(readFileSync(raster)));
    await go(address);
    await page.getByRole('alert').filter({ hasText: text }).waitFor();
    await serveResultAgain(page);
    expect(unexpected()).toEqual([]);
  });
});

describe('the result page of a job without a raster', () => {
  it('says why the job failed', async () => {
    await go(`#/batch/${batch.batch_id}/${jobIds.get('crossed')}`);
    await page.getByRole('heading', { name: 'crossed' }).waitFor();
    const { error_message: reason } = await connectTo(served)
      .batch(batch.batch_id)
      .job(`${jobIds.get('crossed')}`);
    await page.getByText(`${reason}`).waitFor();
  });

  it('says that the job is not finished yet', async () => {
    await go('#/fields');
    await page.route(STATUS, async (route) => {
      const response = await route.fetch();
      const job = { ...(await response.json()), status: 'processing', signed_cog_url: null };
      await route.fulfill({ response, json: job });
    });
    await go(address);
    await page.getByText(TEXTS.result.unfinished).waitFor();
    await page.unroute(STATUS);
  });

  it('says how long results are kept if they have expired', async () => {
    await go(`#/batch/${newBatchId(new Date('2020-01-01'))}/${jobIds.get('crossed')}`);
    const { retention_days: days } = await connectTo(served).limits();
    await page.getByText(TEXTS.result.expired(days)).waitFor();
    await go(`#/batch/${newBatchId(new Date())}/${jobIds.get('crossed')}`);
    await page.getByRole('alert').filter({ hasText: 'No such batch' }).waitFor();
  });
});

async function inUtm(): Promise<Buffer> {
  const other = join(folder, 'utm.tif');
  await reproject(raster, other, 'EPSG:32631');
  return readFileSync(other);
}
