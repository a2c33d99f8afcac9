import type { Page, Route } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { type Box, job } from '../../support/console/batches.ts';
import { enterKey, openConsole, readMiddle } from '../../support/console/console.ts';
import { findViolations } from './accessibility.ts';
import { openedBatch } from './opened-batch.ts';

/** The second field is in the middle of the map. */
const BOXES: readonly Box[] = [
  [5.74, 50.97, 5.742, 50.973],
  [5.743, 50.97, 5.745, 50.973],
  [5.746, 50.97, 5.748, 50.973],
];

const jobs = BOXES.map((box, at) => job(box, `Field ${at + 1}`));
const { served, finished, page, faults, go } = await openedBatch({ jobs });
afterAll(() => served.close());

const [{ job_id: firstJob } = expect.fail('no job')] = finished.jobs;
const ADDRESS = `#/batch/${finished.batch_id}`;
const RASTERS = '**/*.tif*';

async function open(address: string): Promise<void> {
  await go('#/fields');
  await page.getByRole('heading', { name: 'Fields' }).waitFor();
  await go(address);
}

/** Opens the batch, and holds its requests for cells, the last bytes of each raster. */
async function openWithoutCells() {
  await open('#/fields');
  const held: Route[] = [];
  await page.route(RASTERS, async (route) => {
    const url = route.request().url();
    const { result } = finished.jobs.find(({ job_id: id }) => url.includes(id)) ?? {};
    const [, end = 0] = /-(\d+)$/.exec(route.request().headers()['range'] ?? '') ?? [];
    if (Number(end) < 0.9 * (result?.bytes ?? Number.NaN)) return route.continue();
    held.push(route);
  });
  await go(ADDRESS);
  await expect.poll(() => held.length).toBe(BOXES.length);
  return async function release() {
    await page.unroute(RASTERS);
    // The page no longer waits for requests that it has aborted.
    await Promise.all(held.map((route) => route.continue().catch(() => {})));
  };
}

const countContexts = () =>
  page.evaluate<number>(
    `[...document.querySelectorAll('#map canvas')].filter((canvas) => canvas.getContext('2d') === null).length`,
  );

describe('the map of a batch', () => {
  it('shows the value of the cell under the pointer, and the name of its field', async () => {
    const { text, lon, lat } = await readMiddle(page);
    expect(text).toMatch(/^Field 2.* kg\/m³, 90 % interval/);
    const [west, south, east, north] = BOXES[1] ?? [];
    expect([lon > Number(west), lon < Number(east)]).toEqual([true, true]);
    expect([lat > Number(south), lat < Number(north)]).toEqual([true, true]);
    expect(await findViolations(page)).toEqual([]);
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

  it('releases its WebGL context when the user opens a result', async () => {
    await open(`${ADDRESS}/${firstJob}`);
    await page.getByLabel('Shown on the map').waitFor();
    await readMiddle(page);
    expect(await countContexts()).toBe(1);
  });

  it('shows the mean of a field whose raster cannot be read, and the cells of the others', async () => {
    let refused = 0;
    await page.route(RASTERS, (route) => {
      if (!route.request().url().includes(firstJob)) return route.continue();
      refused++;
      return route.fulfill({ status: 403, contentType: 'application/xml', body: '<Error/>' });
    });
    await open(ADDRESS);
    await page.getByText(/^1 raster/).waitFor();
    // The page tries the first URL and a new one.
    expect(refused).toBeGreaterThan(1);
    expect((await readMiddle(page)).text).toContain('Field 2');
    await page.unroute(RASTERS);
    const read = page.waitForResponse((response) => response.url().includes(`${firstJob}.tif`));
    await page.getByRole('button', { name: 'Try again' }).click();
    expect((await read).ok()).toBe(true);
    expect(await page.getByText(/^1 raster/).count()).toBe(0);
  });

  it('shows the cells after a return if the user had left before they arrived', async () => {
    const release = await openWithoutCells();
    await open(ADDRESS);
    await release();
    expect((await readMiddle(page)).text).toContain('Field 2');
  });

  it('reads the cells of a field again if it was out of view before they arrived', async () => {
    const release = await openWithoutCells();
    let aborted = 0;
    page.on('requestfailed', () => aborted++);
    const zoom = (name: string) => page.getByRole('button', { name }).click();
    await expect.poll(() => zoom('Zoom out').then(() => aborted)).toBe(BOXES.length);
    await release();
    await expect
      .poll(async () => {
        await zoom('Zoom in');
        await page.locator('#map').hover();
        return page.locator('.readout').textContent();
      })
      .toContain('Field 2');
  });

  it('shows the value under a resting pointer once the cell arrives', async () => {
    const release = await openWithoutCells();
    await page.locator('#map').hover();
    await release();
    await expect.poll(() => page.locator('.readout').textContent()).toContain('Field 2');
  });

  it('shows cells even if the browser drew no frame before they arrived, as in a background tab', async () => {
    await open(ADDRESS);
    await readMiddle(page);
    await go('#/history');
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    await expect.poll(() => page.locator('#map').isVisible()).toBe(false);
    // A tab in the background draws no frames.
    await page.evaluate(`
      globalThis.draw = requestAnimationFrame;
      globalThis.waiting = [];
      globalThis.requestAnimationFrame = (frame) => waiting.push(frame);
    `);
    await go(ADDRESS);
    await page.locator('.readout').waitFor();
    await page.evaluate(`
      globalThis.requestAnimationFrame = draw;
      waiting.forEach((frame) => draw(frame));
    `);
    expect((await readMiddle(page)).text).toContain('Field 2');
  });

  it('shows cells again after the graphics card was reset', async () => {
    const drawn = () => page.locator('#map').screenshot();
    const before = await drawn();
    await page.evaluate(`
      globalThis.contexts = [...document.querySelectorAll('#map canvas')]
        .flatMap((canvas) => canvas.getContext('webgl2') ?? canvas.getContext('webgl') ?? [])
        .map((context) => context.getExtension('WEBGL_lose_context'));
      contexts.forEach((context) => context.loseContext());
    `);
    await page.evaluate('contexts.forEach((context) => context.restoreContext())');
    await expect.poll(async () => before.equals(await drawn())).toBe(true);
  });

  it('asks for another signed URL if one expires soon', async () => {
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
    await open(ADDRESS);
    expect((await readMiddle(page)).text).toContain('Field 2');
    await page.unroute('**/v1/batch/*/status**');
    // OpenLayers logs the raster that was refused.
    expect(faults.filter((fault) => !/403|Error fetching data/.test(fault))).toEqual([]);
  });
});

describe('the page of a batch', () => {
  const openOther = async (prepare: (page: Page) => Promise<unknown>) => {
    const other = await openConsole(served.browser, served.url);
    await prepare(other.page);
    await other.page.evaluate(`location.hash = ${JSON.stringify(ADDRESS)}`);
    await enterKey(other.page, served.apiKey);
    return other.page;
  };

  it('offers to try again if its fields cannot be read', async () => {
    const other = await openOther((opened) =>
      opened.route('**/v1/batch/*/results*', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<h1>Sign in to the network</h1>' }),
      ),
    );
    const again = other.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await other.unrouteAll();
    await again.click();
    expect((await readMiddle(other)).text).toContain('Field 2');
    await other.close();
  });

  it('offers to try again if the script that reads rasters does not load', async () => {
    const other = await openOther((opened) =>
      opened.route(/\/rasters-in-view-\w+\.js$/, (route) => route.abort()),
    );
    await other.getByRole('button', { name: 'Try again' }).waitFor();
    await other.unrouteAll();
    await other.getByRole('button', { name: 'Try again' }).click();
    expect((await readMiddle(other)).text).toContain('Field 2');
    await other.close();
  });

  it('can be used, like the page of a result, in a browser without WebGL', async () => {
    const other = await openOther((opened) =>
      opened.evaluate(`
        const getContext = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind) {
          return kind === '2d' ? getContext.call(this, kind) : null;
        };
      `),
    );
    const broken: Error[] = [];
    other.on('pageerror', (error) => broken.push(error));
    await other.getByText('WebGL').waitFor();
    await other.locator('#map').click();
    await other.getByRole('button', { name: 'Details of Field 2', pressed: true }).waitFor();
    await other.evaluate(`location.hash = '${ADDRESS}/${firstJob}'`);
    await other.getByRole('link', { name: /GeoTIFF/ }).waitFor();
    await other.getByText('WebGL').waitFor();
    expect(broken).toEqual([]);
    await other.close();
  });
});
