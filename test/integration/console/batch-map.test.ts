import type { Page } from 'playwright-core';
import type { BatchStatus } from 'soil-batch-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Box,
  connectTo,
  finishedBatch,
  job,
  openPage,
} from '../../support/console/batches.ts';
import { readMiddle } from '../../support/console/console.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { violationsOf } from './accessibility.ts';

/** The middle of the three is in the middle of the map. */
const BOXES: readonly Box[] = [
  [5.74, 50.97, 5.742, 50.973],
  [5.743, 50.97, 5.745, 50.973],
  [5.746, 50.97, 5.748, 50.973],
];

let served: DevConsole;
let finished: BatchStatus;
let page: Page;
let faults: readonly string[];
beforeAll(async () => {
  served = await devConsole();
  const jobs = BOXES.map((box, at) => job(box, `Field ${at + 1}`));
  const { batch_id: id } = await finishedBatch(served, { jobs });
  finished = await connectTo(served).batch(id).status({ jobs: 'all' });
  ({ page, faults } = await openPage(served, `#/batch/${finished.batch_id}`));
});
afterAll(() => served.close());

const RASTERS = '**/*.tif*';

async function open(address: string): Promise<void> {
  await page.evaluate(`location.hash = '#/fields'`);
  await page.getByRole('heading', { name: 'Fields' }).waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
}

/** The canvases that WebGL draws the cells on. */
const countContexts = () =>
  page.evaluate<number>(
    `[...document.querySelectorAll('#map canvas')].filter((canvas) => canvas.getContext('2d') === null).length`,
  );

describe('the map of a batch', () => {
  // Once of five times, beside all other suites, no value came within five minutes; the cause is unknown.
  it('has the value of the cell under the pointer, and the name of its field', {
    retry: 2,
  }, async () => {
    await page.reload();
    const { text, lon, lat } = await readMiddle(page);
    expect(text).toMatch(/^Field 2.* kg\/m³, 90 % interval/);
    const [west, south, east, north] = BOXES[1] ?? [];
    expect([lon > Number(west), lon < Number(east)]).toEqual([true, true]);
    expect([lat > Number(south), lat < Number(north)]).toEqual([true, true]);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('shares one WebGL context among all rasters', async () => {
    const left = page.locator('.readout');
    const { width = 0, height = 0 } = (await page.locator('#map').boundingBox()) ?? {};
    for (const [at, x] of [0.25, 0.75].entries()) {
      await expect
        .poll(async () => {
          await page.locator('#map').hover({ position: { x: width * x, y: height / 2 } });
          await page.mouse.move(0, 0);
          await page.locator('#map').hover({ position: { x: width * x + 1, y: height / 2 } });
          return left.textContent();
        })
        .toContain(`Field ${2 * at + 1}`);
    }
    expect(await countContexts()).toBe(1);
  });

  it('reads no raster once it is left', async () => {
    const [{ job_id: jobId } = expect.fail('no job')] = finished.jobs;
    await open(`#/batch/${finished.batch_id}/${jobId}`);
    await page.getByLabel('Shown on the map').waitFor();
    await readMiddle(page);
    expect(await countContexts()).toBe(1);
  });

  it('shows the mean of a field whose raster cannot be read, and the cells of the others', async () => {
    const [{ job_id: jobId } = expect.fail('no job')] = finished.jobs;
    let refused = 0;
    await page.route(RASTERS, (route) => {
      if (!route.request().url().includes(jobId)) return route.continue();
      refused++;
      return route.fulfill({ status: 403, contentType: 'application/xml', body: '<Error/>' });
    });
    await open(`#/batch/${finished.batch_id}`);
    await page.getByText(/^1 raster/).waitFor();
    // With the first URL and with a new one.
    expect(refused).toBeGreaterThan(1);
    const { text } = await readMiddle(page);
    expect(text).toContain('Field 2');
    await page.unroute(RASTERS);
  });

  it('asks for another URL before one expires', async () => {
    const soon = new Date(Date.now() + 30_000).toISOString();
    const expiring = {
      ...finished,
      jobs: finished.jobs.map((one) => ({
        ...one,
        signed_cog_url: `${served.url}/expired.tif`,
        signed_url_expires_at: soon,
      })),
    };
    await page.route('**/v1/batch/*/status**', (route) =>
      route.fulfill({ json: expiring, contentType: 'application/json' }),
    );
    await open(`#/batch/${finished.batch_id}`);
    const { text } = await readMiddle(page);
    expect(text).toContain('Field 2');
    await page.unroute('**/v1/batch/*/status**');
    // OpenLayers logs the raster that was refused.
    expect(faults.filter((fault) => !/403|Error fetching data/.test(fault))).toEqual([]);
  });
});
