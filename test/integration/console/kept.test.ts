import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEXTS } from '../../../console/texts.ts';
import { FIELD, finishedBatch, invalidJob, job, openPage } from '../../support/console/batches.ts';
import { drawField, enterKey, readSentRings, SQUARE } from '../../support/console/console.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { findViolations } from './accessibility.ts';

let served: DevConsole;
beforeAll(async () => {
  served = await devConsole();
});
afterAll(() => served.close());

const names = (page: Page) => page.locator('.fields tbody bdi').allTextContents();

const readTab = (page: Page): Promise<Record<string, string>> =>
  page.evaluate('({ ...sessionStorage })');

async function waitUntilKept(page: Page, text: string): Promise<void> {
  await expect.poll(async () => (await readTab(page))['draft']).toContain(text);
}

describe('fields in a tab', () => {
  it('are kept with the key over a reload, until the user signs out', async () => {
    const { page, faults } = await openPage(served, '#/fields');
    await drawField(page, SQUARE);
    await page.getByLabel('Field name').fill('Home meadow');
    await page.getByLabel('Year').fill('2021');
    await page.getByLabel('Batch name').fill('Spring');
    const drawn = await readSentRings(page, 'Estimate', '**/v1/batch/estimate');
    await page.getByRole('button', { name: 'Submit 1 field' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Submit 1 field' }).waitFor();
    await page.getByRole('link', { name: 'Fields', exact: true }).click();
    await expect.poll(() => names(page)).toEqual(['Home meadow']);
    expect(await page.getByLabel('Year').inputValue()).toBe('2021');
    expect(await page.getByLabel('Batch name').inputValue()).toBe('Spring');
    expect(await readSentRings(page, 'Estimate', '**/v1/batch/estimate')).toEqual(drawn);

    const signOut = page.getByRole('button', { name: 'Sign out' });
    await signOut.click();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await signOut.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Open the console' }).waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    expect(await readTab(page)).toEqual({});
    await enterKey(page, served.apiKey);
    await page.getByText(TEXTS.fields.none).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it('are kept, but not the key, if other sites share the origin', async () => {
    const baseUrls = { v1: 'https://soil.example/one', v2: 'https://soil.example/two' };
    const shared = await devConsole({ baseUrls });
    const { page } = await openPage(shared, '#/fields');
    await drawField(page, SQUARE);
    await waitUntilKept(page, 'Field 1');
    expect(JSON.stringify(await readTab(page))).not.toContain(shared.apiKey);
    await page.reload();
    await enterKey(page, shared.apiKey);
    await expect.poll(() => names(page)).toEqual(['Field 1']);
    await shared.close();
  });

  it('are not kept if they do not fit, the page says so, and no earlier fields return', async () => {
    const { page } = await openPage(served, '#/fields');
    await drawField(page, SQUARE);
    await waitUntilKept(page, 'Field 1');
    await page.evaluate(`(() => {
      for (let size = 2 ** 22; size >= 1; size /= 2) {
        try { while (true) sessionStorage.setItem('full' + Math.random(), 'x'.repeat(size)); } catch {}
      }
    })()`);
    await page.getByLabel('Field name').fill('x'.repeat(200));
    await page.getByText(TEXTS.fields.notKept).waitFor();
    expect((await readTab(page))['draft']).toBeUndefined();
    expect(await findViolations(page)).toEqual([]);
    const asked = page.waitForEvent('dialog');
    void page.evaluate('location.reload()').catch(() => {});
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    expect(await names(page)).toHaveLength(1);
    await page.close();
  });

  it.each([
    ['text', 'text that is not JSON'],
    ['another value', '[1, 2]'],
    ['a field without a name', '{"fields":[{"polygon":null,"attributes":{}}],"year":1}'],
    ['a wrong outline', { polygon: { type: 'Polygon', coordinates: [['<img>']] } }],
    ['markup', { name: '<img src=x onerror=alert(1)>', year: '<b>' }],
  ])('are not restored from a storage with %s', async (_, draft) => {
    const { page, faults } = await openPage(served, '#/history');
    const stored =
      typeof draft === 'string'
        ? draft
        : JSON.stringify({
            fields: [{ name: 'a', polygon: null, attributes: {}, ...draft }],
            year: 2021,
            batchName: '',
            model: null,
            isSubmitted: false,
            ...draft,
          });
    // The tab keeps the key once the service has accepted it.
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    await page.evaluate(`sessionStorage.setItem('draft', ${JSON.stringify(stored)})`);
    await page.reload();
    await page.getByRole('link', { name: 'Fields', exact: true }).click();
    await page.getByText(TEXTS.fields.none).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it('are kept until the user enters a new key if the kept key is rejected', async () => {
    const { page } = await openPage(served, '#/fields');
    await drawField(page, SQUARE);
    await waitUntilKept(page, 'Field 1');
    await page.evaluate(`sessionStorage.setItem('key', 'soc_revoked')`);
    await page.reload();
    await page.getByText(TEXTS.key.refused).waitFor();
    expect(Object.keys(await readTab(page))).not.toContain('key');
    await enterKey(page, served.apiKey);
    await expect.poll(() => names(page)).toEqual(['Field 1']);
    await page.close();
  });

  it('are checked against the limits of a new key, and data of the old key is read again', async () => {
    const { batch_id: id } = await finishedBatch(served, { jobs: [job(FIELD, 'meadow')] });
    const { page } = await openPage(served, `#/batch/${id}`);
    const tables: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes(`${id}/results`)) tables.push(request.url());
    });
    const show = async () => {
      await page.evaluate(`location.hash = '#/batch/${id}'`);
      await page.getByRole('img', { name: TEXTS.batch.values }).waitFor();
      return tables.length;
    };
    const before = await show();
    await page.getByRole('link', { name: 'Fields', exact: true }).click();
    await drawField(page, SQUARE);
    await drawField(
      page,
      SQUARE.map(([x, y]) => [x + 200, y]),
    );
    expect(await show()).toBe(before);

    await page.route('**/v1/batch/estimate', (route) => route.fulfill({ status: 401, json: {} }));
    await page.route('**/v1/limits', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), jobs_per_batch: 1 } });
    });
    await page.getByRole('link', { name: 'Fields', exact: true }).click();
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByRole('dialog').waitFor();
    await page.unroute('**/v1/batch/estimate');
    await enterKey(page, served.apiKey);
    await page.getByRole('button', { name: 'Submit 2 fields' }).waitFor();
    await page.getByRole('link', { name: TEXTS.estimate.back }).click();
    await page.getByText(TEXTS.fields.tooMany(2, 1)).waitFor();
    expect(await show()).toBeGreaterThan(before);
    await page.close();
  });

  it('make one batch even if the page is reloaded before the response', async () => {
    const { page } = await openPage(served, '#/fields');
    await drawField(page, SQUARE);
    const submit = page.getByRole('button', { name: 'Submit 1 field' });
    const keys: (string | undefined)[] = [];
    await page.route('**/v1/batch', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      const response = await route.fetch();
      if (keys.length > 1) await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Estimate' }).click();
    await submit.click();
    await expect.poll(() => keys.length).toBe(1);
    await page.reload();
    await submit.click();
    await page.waitForURL('**/console#/batch/*');
    expect(keys).toEqual([keys[0], keys[0]]);
    await page.close();
  });

  it('are shown as submitted only if the key’s tenant has their batch', async () => {
    const { page } = await openPage(served, '#/fields');
    await drawField(page, SQUARE);
    const submit = page.getByRole('button', { name: 'Submit 1 field' });
    const link = page.locator('main a[href^="#/batch/"]');
    await page.getByRole('button', { name: 'Estimate' }).click();
    await submit.click();
    await page.waitForURL('**/console#/batch/*');
    await page.goBack();
    await link.waitFor();
    // The key of another tenant.
    await page.route('**/v1/batch/*/status*', (route) =>
      route.fulfill({
        status: 404,
        contentType: 'application/problem+json',
        body: JSON.stringify({ type: '/docs/problems/batch-not-found', title: 'No', status: 404 }),
      }),
    );
    await page.reload();
    await submit.waitFor();
    expect(await link.count()).toBe(0);
    await page.close();
  });
});

describe('the fields of a batch', () => {
  it('can be copied to the fields page, with outlines, names, attributes, year and model', async () => {
    const attributes = { crop: 'rye', soil: { ph: 6.5 }, parcel: 12 };
    const { batch_id: id } = await finishedBatch(served, {
      name: 'Spring',
      model: 'meuse-soc',
      jobs: [
        { ...job(FIELD, 'meadow'), properties: attributes },
        { ...invalidJob('crossed'), year: 2021 },
      ],
    });
    const { page, faults } = await openPage(served, '#/fields');
    await drawField(page, SQUARE);
    await page.evaluate(`location.hash = '#/batch/${id}'`);
    const again = page.getByRole('button', { name: 'Use these fields again' });
    await again.click();
    await page.getByRole('button', { name: 'Keep them' }).click();
    await again.click();
    await page.getByRole('button', { name: 'Replace them' }).click();
    await expect.poll(() => names(page)).toEqual(['meadow', 'crossed']);
    expect(await page.getByLabel('Year').inputValue()).toBe('2021');
    expect(await page.getByLabel('Batch name').inputValue()).toBe('Spring');
    await page.getByLabel('Year').fill('2023');
    const request = page.waitForRequest('**/v1/batch/estimate');
    await page.getByRole('button', { name: 'Estimate' }).click();
    expect((await request).postDataJSON()).toMatchObject({
      name: 'Spring',
      model: expect.stringMatching(/^meuse-soc@/),
      jobs: [
        { ...job(FIELD, 'meadow'), year: 2023, properties: attributes },
        { ...invalidJob('crossed'), year: 2023 },
      ],
    });
    await page.getByText(TEXTS.estimate.fail(1)).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });
});
