import { isDeepStrictEqual } from 'node:util';
import type { Request } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { TEXTS } from '../../../console/texts.ts';
import {
  connectTo,
  FIELD,
  finishedBatch,
  HOSTILE,
  invalidJob,
  job,
} from '../../support/console/batches.ts';
import { enterKey } from '../../support/console/console.ts';
import { findSmallTargets, findViolations, measureOverflowAt320 } from './accessibility.ts';
import { openedBatch } from './opened-batch.ts';

const LONG = 'x'.repeat(150);

const { served, finished, page, faults, go } = await openedBatch({
  name: `${HOSTILE}${LONG}`,
  jobs: [
    { ...job(FIELD, HOSTILE), properties: { [HOSTILE]: HOSTILE, [LONG]: LONG } },
    { ...invalidJob(`crossed${LONG}`), properties: { owner: HOSTILE } },
  ],
});
afterAll(() => served.close());

const STATUS_URL = '**/v1/batch/*/status**';

describe('the batch page', () => {
  it('shows the counts, and why a job failed', async () => {
    await page.getByText(TEXTS.progress.counts(1, 1, 2)).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'crossed' });
    await expect(row.locator('.error').textContent()).resolves.toMatch(/cross/);
    expect(await row.getByRole('link').count()).toBe(0);
  });

  it('colours the fields by the range of their batch or of their model', async () => {
    const legendFrom = (low = Number.NaN, high = Number.NaN) => {
      const ends = [low, high].map((end) => Number(end.toPrecision(3))).join(' – ');
      return page.getByRole('img', { name: `${TEXTS.batch.values}: ${ends} kg/m³` });
    };
    const [{ minimum, maximum } = expect.fail('no range')] = finished.display_ranges ?? [];
    await legendFrom(minimum, maximum).waitFor();
    const { models } = await connectTo(served).models();
    await page.getByLabel('Colours span').selectOption('model');
    await legendFrom(...(models[0]?.bands[0]?.display_range ?? [])).waitFor();
    await page.getByLabel('Colours span').selectOption('batch');
  });

  it('distinguishes completed from failed jobs in its progress bar', async () => {
    const bar = page.getByRole('progressbar', { name: 'Batch progress' });
    expect(await bar.getAttribute('aria-valuetext')).toBe('100 %, 1 job failed');
    const parts: readonly number[] = await bar.evaluate(({ children, clientWidth }) =>
      [...children].map((part) => part.getBoundingClientRect().width / clientWidth),
    );
    expect(parts.map((share) => share.toFixed(2))).toEqual(['0.50', '0.50', '0.00']);
  });

  it('shows the patch-batches and the properties of the selected job as plain text', async () => {
    await page.getByRole('button', { name: `Details of ${HOSTILE}` }).click();
    const detail = page.locator('.detail');
    await detail.getByText(TEXTS.job.patchBatchesOf(1, 1)).waitFor();
    expect(await detail.getByText(/^[\d.]+ (t of carbon|kg\/m³) \(90 % interval/).count()).toBe(2);
    await expect(page.evaluate('document.activeElement.className')).resolves.toBe('detail');
    const table = detail.getByRole('table', { name: 'Patch-batches' });
    await expect(table.getByRole('row').nth(1).textContent()).resolves.toMatch(/^0completed\d/);
    await detail.getByText('Properties').click();
    await expect(detail.locator('dt', { hasText: HOSTILE }).isVisible()).resolves.toBe(true);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await measureOverflowAt320(page)).toBe(0);
    expect(await findSmallTargets(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close the details' }).click();
    await expect(page.evaluate('document.activeElement.getAttribute("aria-label")')).resolves.toBe(
      `Details of ${HOSTILE}`,
    );
  });

  it('selects the job whose field is clicked on the map', async () => {
    const { width = 0, height = 0 } = (await page.locator('#map').boundingBox()) ?? {};
    await page.locator('#map').click({ position: { x: width / 2, y: height / 2 + 40 } });
    await page.getByRole('button', { name: /^Details of/, pressed: true }).waitFor();
    await page.locator('.detail h2').waitFor();
    expect(faults).toEqual([]);
  });
});

it('numbers are written as in the language of the browser', async () => {
  const german = await served.browser.newPage({ locale: 'de-DE' });
  await german.goto(`${served.url}/console#/batch/${finished.batch_id}`);
  await enterKey(german, served.apiKey);
  await german
    .locator('.total .facts')
    .getByText(/^\d+,\d ha in 1 field/)
    .waitFor();
  await german.close();
});

describe('a finished batch of many fields', () => {
  const names = () => page.locator('.jobs tbody bdi').allTextContents();

  it('has its total and its downloads above the table, and contains only the rows in view', async () => {
    const [west, south] = FIELD;
    const fields = Array.from({ length: 60 }, (_, at) => {
      const [x, y] = [west + (at % 8) * 0.0006, south + Math.floor(at / 8) * 0.0004];
      return job([x, y, x + 0.0005, y + 0.0003], `field ${at}`);
    });
    const { batch_id: id } = await finishedBatch(served, { jobs: [...fields, invalidJob('knot')] });
    await go(`#/batch/${id}`);
    const total = page.getByRole('heading', { name: 'All fields together' });
    await total.waitFor();
    const totals = page.locator('.total .facts');
    await totals.getByText(/ t of carbon \(90 % interval .*\)$/).waitFor();
    await totals.getByText(/^[\d,.]+ t\/ha$/).waitFor();
    await totals.getByText(/^R2 0\.\d+, RMSE/).waitFor();
    await page
      .getByRole('img', { name: new RegExp(`^${TEXTS.batch.values}: .* kg/m³$`) })
      .waitFor();
    const table = page.getByRole('table', { name: 'Jobs' });
    expect(await table.getAttribute('aria-rowcount')).toBe('62');
    expect((await names()).length).toBeLessThan(50);
    const tops = await Promise.all(
      [total, page.getByRole('button', { name: 'Table as CSV' }), table].map(async (part) =>
        Math.round((await part.boundingBox())?.y ?? Number.NaN),
      ),
    );
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    expect(await page.locator('#page').evaluate((panel) => panel.scrollHeight)).toBeLessThan(2_000);
    expect(await measureOverflowAt320(page)).toBe(0);
    expect(await findViolations(page)).toEqual([]);
  });

  it('can be sorted and searched', async () => {
    const means = async () =>
      (await page.locator('.jobs tbody td.amount:nth-child(3)').allTextContents()).map(parseFloat);
    await page.getByRole('button', { name: 'Mean' }).click();
    await expect.poll(means).toSatisfy((shown: readonly number[]) =>
      isDeepStrictEqual(
        shown,
        shown.toSorted((a, b) => a - b),
      ),
    );
    const ascending = await means();
    await page.getByRole('button', { name: 'Mean' }).click();
    await expect
      .poll(async () => (await means())[0])
      .toBeGreaterThanOrEqual(ascending.at(-1) ?? Number.NaN);
    await page.getByRole('button', { name: 'State' }).click();
    await expect.poll(async () => (await names())[0]).toBe('knot');
    await page.getByRole('button', { name: 'Name' }).click();
    await expect
      .poll(async () => (await names()).slice(0, 3))
      .toEqual(['field 0', 'field 1', 'field 2']);
    await page.locator('.jobs').evaluate((frame) => frame.scrollTo(0, frame.scrollHeight));
    await expect.poll(async () => (await names()).at(-1)).toBe('knot');
    await page.getByLabel('Search').fill('FIELD 17');
    await page.getByText(TEXTS.progress.found(1, 61)).waitFor();
    await expect.poll(names).toEqual(['field 17']);
    await page.getByLabel('Search').fill('failed');
    await expect.poll(names).toEqual(['knot']);
  });

  it("fits values and reasons for failures into a phone's width", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const titles = () => page.locator('.jobs th').allTextContents();
    await expect.poll(titles).toEqual(['Name', 'Mean', 'Stock per ha', 'Details']);
    await page.locator('.jobs .error').getByText('itself near').waitFor();
    await page.getByLabel('Search').fill('field 17');
    await expect.poll(names).toEqual(['field 17']);
    const overflow = await page.locator('.jobs').evaluate((of) => of.scrollWidth - of.clientWidth);
    expect(overflow).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1200, height: 800 });
    await expect.poll(async () => (await titles()).length).toBe(7);
    expect(faults).toEqual([]);
  });

  it('leads from each field to the previous and the next one', async () => {
    const requests: string[] = [];
    const note = (request: Request) => requests.push(request.url());
    page.on('request', note);
    await page.getByLabel('Search').fill('field 17');
    await page.getByRole('link', { name: 'field 17' }).click();
    const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
    await heading('field 17');
    const neighbours = page.getByRole('navigation', { name: 'Fields of the batch' });
    await neighbours.getByText(TEXTS.result.place(18, 60)).waitFor();
    await neighbours.getByRole('link', { name: 'Next field' }).click();
    await heading('field 18');
    await neighbours.getByText(TEXTS.result.place(19, 60)).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await neighbours.getByRole('link', { name: 'Previous field' }).click();
    await heading('field 17');
    expect(requests.filter((url) => url.includes('jobs=completed'))).toHaveLength(1);
    page.off('request', note);
    await page.getByRole('link', { name: 'Back to the batch' }).click();
    await page.getByRole('table', { name: 'Jobs' }).waitFor();
  });
});

describe('a running batch', () => {
  it('can be cancelled after a confirmation, and keeps finished jobs', async () => {
    const fields = Array.from({ length: 200 }, (_, at) => job(FIELD, `field ${at}`));
    const batch = connectTo(served).batch(
      (await connectTo(served).createBatch({ jobs: fields })).batch_id,
    );
    await go(`#/batch/${batch.id}`);
    const cancel = page.getByRole('button', { name: 'Cancel the batch' });
    await cancel.click();
    // Leaving the page, as with the back button, closes the question.
    await go('#/history');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await go(`#/batch/${batch.id}`);
    await cancel.click();
    await page.getByRole('button', { name: 'Keep it running' }).click();
    await expect(batch.status()).resolves.toMatchObject({ status: 'processing' });
    await cancel.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the batch' }).click();
    await page.getByText(TEXTS.progress.states.partial).waitFor();
    const { completed_jobs: completed } = await batch.status();
    await page.getByText(`${completed} of 200 jobs completed`).waitFor();
    await page.getByRole('button', { name: `Retry ${200 - completed} failed jobs` }).click();
    await page.getByText(`of ${200 - completed} jobs completed`).waitFor();
    const [, opened = ''] = /#\/batch\/(.*)$/.exec(page.url()) ?? [];
    const retry = connectTo(served).batch(opened);
    expect((await retry.cancel()).retry_of).toBe(batch.id);
    expect(faults).toEqual([]);
  });
});

describe('a page that cannot reach the service', () => {
  const opened = () => page.getByText(TEXTS.progress.counts(1, 1, 2));

  it.each([
    ['a lost connection', 'No connection to the service; trying again', null],
    ['a 503', 'The service is unavailable; trying again', 503],
    ['a throttle', 'Too many requests; trying again in', 429],
  ] as const)(
    'waits for the end of %s with a message, and continues',
    async (_, message, status) => {
      await go('#/fields');
      await page.route(STATUS_URL, (route) =>
        status === null ? route.abort('connectionreset') : route.fulfill(problem(status)),
      );
      await go(`#/batch/${finished.batch_id}`);
      await page.getByRole('status').filter({ hasText: message }).waitFor();
      await page.unroute(STATUS_URL);
      await opened().waitFor();
      expect(await page.getByText('trying again').count()).toBe(0);
    },
  );

  it('offers to try again after giving up', async () => {
    await go('#/fields');
    await page.route(STATUS_URL, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Sign in to the network</h1>' }),
    );
    await go(`#/batch/${finished.batch_id}`);
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.unroute(STATUS_URL);
    await again.click();
    await opened().waitFor();
    expect(await again.isVisible()).toBe(false);
  });

  it('states the longest wait and its reason while any request waits', async () => {
    await go('#/fields');
    await go(`#/batch/${finished.batch_id}`);
    await opened().waitFor();
    const [job, log] = ['**/v1/batch/*/jobs/*/status**', '**/v1/batch/*/deliveries'];
    await page.route(job, (route) => route.fulfill(problem(503, 30)));
    let attempts = 0;
    await page.route(log, (route) =>
      attempts++ === 0 ? route.fulfill(problem(429)) : route.continue(),
    );
    const says = () => page.locator('.wait').textContent();
    await page.getByRole('button', { name: 'Details of crossed' }).click();
    await page.getByText('is unavailable; trying again in 30 seconds').waitFor();
    await page.getByText('Webhook deliveries').click();
    await page.getByText(TEXTS.batch.noWebhook).waitFor();
    expect(attempts).toBe(2);
    expect(await says()).toContain('trying again in 30 seconds');
    await go('#/fields');
    await expect.poll(says).toBe('');
    await Promise.all([page.unroute(job), page.unroute(log)]);
  });

  it('follows a batch again after a night without a connection', async () => {
    await go('#/fields');
    const running = {
      ...finished,
      status: 'processing',
      completed_jobs: 0,
      jobs: [],
      has_more: false,
    };
    const headers = { 'Content-Type': 'application/json', 'Retry-After': '5' };
    await page.route(STATUS_URL, (route) =>
      route.fulfill({ headers, body: JSON.stringify(running) }),
    );
    await page.clock.install();
    await go(`#/batch/${finished.batch_id}`);
    await page.getByText(TEXTS.progress.states.processing).waitFor();
    await page.context().setOffline(true);
    await page.unroute(STATUS_URL);
    await page.clock.runFor('00:06');
    const wait = page.getByText('No connection to the service; trying again');
    await wait.waitFor();
    for (let minute = 0; minute < 3; minute++) await page.clock.runFor('01:00');
    // A sleeping computer runs no timers.
    await page.clock.fastForward('08:00:00');
    await wait.waitFor();
    await page.context().setOffline(false);
    await page.clock.runFor('00:30');
    await opened().waitFor();
    await page.clock.resume();
    expect(await page.getByText('trying again').count()).toBe(0);
  });
});

function problem(status: number, retryAfter = 1) {
  const type = status === 429 ? 'throttled' : 'unavailable';
  return {
    status,
    headers: { 'Retry-After': String(retryAfter), 'Content-Type': 'application/problem+json' },
    body: JSON.stringify({ type: `/docs/problems/${type}`, title: 'Later', status }),
  };
}
