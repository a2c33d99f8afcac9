import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TEXTS } from '../../../console/texts.ts';
import { connectTo, openPage, removeAll } from '../../support/console/batches.ts';
import {
  enterKey,
  openConsole,
  readSentRings,
  watchLabels,
} from '../../support/console/console.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { thinZigzag } from '../../support/thin-zigzag.ts';
import { findSmallTargets } from './accessibility.ts';

let served: DevConsole;
let page: Page;
let faults: readonly string[];
beforeAll(async () => {
  served = await devConsole();
  ({ page, faults } = await openPage(served, '#/fields'));
});
beforeEach(async () => {
  await page.evaluate("location.hash = '#/fields'");
  await page.getByRole('heading', { name: 'Fields', exact: true }).waitFor();
  if (await page.getByRole('button', { name: 'Remove all' }).isVisible()) await removeAll(page);
});
afterAll(() => served.close());

const VALID = ring([5.74, 50.97], [5.745, 50.97], [5.745, 50.973]);
const FAR = ring([6.74, 50.97], [6.745, 50.97], [6.745, 50.973]);
const CROSSED = ring([5.74, 50.97], [5.745, 50.973], [5.745, 50.97], [5.74, 50.973]);

type Position = readonly [lon: number, lat: number];

function ring(first: Position, ...others: readonly Position[]) {
  return { type: 'Polygon', coordinates: [[first, ...others, first]] };
}

async function openFields(
  fields: Readonly<Record<string, object | null>>,
  attributes: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const features = Object.entries(fields).map(([name, geometry]) => ({
    type: 'Feature',
    properties: { name, ...attributes },
    geometry,
  }));
  const text = JSON.stringify({ type: 'FeatureCollection', features });
  const buffer = Buffer.from(text);
  const file = { name: 'fields.geojson', mimeType: 'application/geo+json', buffer };
  await page.locator('#file').setInputFiles(file);
}

it('a model is offered with its unsuitable purposes and sources, unless it is for checks', async () => {
  const { models } = await connectTo(served).models();
  const [model = expect.fail('no model')] = models;
  await page.getByText(model.not_for.join('; ')).waitFor();
  await page.getByText('Licenses and sources').click();
  const [{ citation } = expect.fail('no license')] = model.licenses;
  await page.getByText(citation).first().waitFor();
  const { title } = models.find(({ for_checks }) => for_checks) ?? expect.fail('none for checks');
  expect(await page.getByText(title).count()).toBe(0);
  expect(await page.getByLabel('Model').count()).toBe(0);
});

it('the user can choose one of several models', async () => {
  const { models } = await connectTo(served).models();
  const [first = expect.fail('no model')] = models;
  const other = { ...first, model: 'other@1.0.0', title: 'Another model', not_for: ['anything'] };
  const { page: several } = await openConsole(served.browser, served.url);
  await several.route('**/v1/models', (route) =>
    route.fulfill({
      contentType: 'application/json',
      body: JSON.stringify({ models: [first, other] }),
    }),
  );
  await enterKey(several, served.apiKey);
  await several.getByLabel('Model').selectOption('other@1.0.0');
  await several.getByText('Not for: anything').waitFor();
  expect(await several.getByText(first.not_for.join('; ')).count()).toBe(0);
  await several.close();
});

describe('the fields of a batch', () => {
  it('are estimated before submission, and fields that will fail are marked with the reason', async () => {
    const far = [1, 2, 3, 4, 5].map((index) => [`Far ${index}`, FAR]);
    await openFields({
      ...{ Meadow: VALID, Pasture: VALID, Knot: CROSSED, Gap: null },
      ...Object.fromEntries(far),
    });
    await page.getByRole('row', { name: 'Gap' }).getByText(TEXTS.fields.noGeometry).waitFor();
    await page.getByLabel('Batch name').fill('Harvest');
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByRole('heading', { name: TEXTS.estimate.fail(7) }).waitFor();
    await page.getByText(/^Far 1, Far 2, Far 3 and 2 more: .*meuse-soc@/).waitFor();
    await page.getByText(/^Gap: .*geometry/).waitFor();
    // Failures that only a prediction can find are mentioned, but not counted.
    await page.getByText(TEXTS.estimate.unseen).waitFor();
    const { models } = await connectTo(served).models();
    const facts = await page.locator('.facts').first().textContent();
    expect(facts).toMatch(/^BatchHarvestModel.* [a-z]+-soc@[\d.]+Year\d{4}Area/);
    expect(facts).toContain(models[0]?.title);
    const quota = page.getByRole('meter', { name: 'Jobs' });
    const text = await quota.getAttribute('aria-valuetext');
    expect(text).toMatch(/^[\d,]+ jobs? used before, 9 jobs for this batch$/);
    const warning = page.getByText(
      /^2 fields: .*the requested year \(\d+\) makes no difference\.$/,
    );
    expect(await warning.count()).toBe(1);
    // A failing field is submitted as well, and counts towards the quota.
    await page.getByRole('button', { name: 'Submit 9 fields' }).waitFor();
    await page.getByRole('link', { name: 'Back to the fields' }).click();
    await page.locator('tr', { hasText: 'Knot' }).getByText('itself near').waitFor();
    expect(await findSmallTargets(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('cannot be submitted while they exceed the quota, and the page says why', async () => {
    await page.route('**/v1/batch/estimate', async (route) => {
      const response = await route.fetch();
      const estimate = await response.json();
      const jobs = { ...estimate.quota.jobs, remaining: 0 };
      const quota = { ...estimate.quota, jobs, fits: false };
      return route.fulfill({ response, body: JSON.stringify({ ...estimate, quota }) });
    });
    await openFields({ Meadow: VALID });
    await page.getByRole('button', { name: 'Estimate' }).click();
    const quota = page.getByRole('meter', { name: 'Jobs' });
    const text = await quota.getAttribute('aria-valuetext');
    expect(text).toMatch(/^[\d,]+ jobs used before, 1 job for this batch$/);
    await page.getByText(TEXTS.estimate.exceeds('1 job')).waitFor();
    expect(await page.getByRole('button', { name: 'Submit 1 field' }).isDisabled()).toBe(true);
    await page.unroute('**/v1/batch/estimate');
  });

  it('are named by an attribute on request, and attributes are sent with the job', async () => {
    await openFields({ Meadow: VALID }, { parcel: 'A 7', hectares: 1.5 });
    await page.getByLabel('Names from').selectOption('parcel');
    await page.getByRole('button', { name: 'A 7', exact: true }).waitFor();
    expect(await page.getByLabel('Field name').inputValue()).toBe('A 7');
    await page.getByLabel('Batch name').fill('named');
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByRole('button', { name: 'Submit 1 field' }).click();
    await page.getByRole('heading', { name: 'named' }).waitFor();
    const { batches } = await connectTo(served).listBatches({ name: 'named' });
    const rows = connectTo(served).batch(`${batches[0]?.batch_id}`).rows();
    expect((await rows.next()).value).toMatchObject({
      name: 'A 7',
      properties: { name: 'Meadow', parcel: 'A 7', hectares: 1.5 },
    });
  });

  it('make one batch when they are submitted again after the first response was lost', async () => {
    let isLost = true;
    await page.route('**/v1/batch', async (route) => {
      if (!isLost) return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await openFields({ Meadow: VALID });
    await page.getByLabel('Batch name').fill('once');
    const submit = async () => {
      await page.getByRole('button', { name: 'Estimate' }).click();
      await page.getByRole('button', { name: 'Submit 1 field' }).click();
      await page.getByText('No connection to the service; trying again').waitFor();
    };
    await submit();
    await page.getByRole('link', { name: 'Back to the fields' }).click();
    await submit();
    isLost = false;
    await page.getByRole('heading', { name: 'once' }).waitFor();
    const { batches } = await connectTo(served).listBatches({ name: 'once' });
    expect(batches).toHaveLength(1);
    await page.unroute('**/v1/batch');
  });

  it('may be 5,000 in a file, one with 10,000 vertices, and the page contains only the rows in view', async () => {
    const fields = Array.from({ length: 4_999 }, (_, index) => {
      const [lon, lat] = [5.72 + (index % 70) / 1_000, 50.96 + Math.floor(index / 70) / 1_000];
      const corners = [0, 1, 2].map((turn) => at(lon, lat, turn / 3, 0.0004));
      return [
        `Field of row ${index}`,
        ring(...(corners as [Position, Position, Position])),
      ] as const;
    });
    const vertices = Array.from({ length: 9_999 }, (_, turn) =>
      at(5.75, 50.98, turn / 9_999, 0.003),
    );
    const circle = ring(...(vertices as [Position, ...Position[]]));
    await openFields({ Circle: circle, ...Object.fromEntries(fields) });
    await page.getByText(/\b1,000\b.*\b5,000\b/).waitFor();
    const table = page.getByRole('table', { name: 'Fields' });
    expect(await table.getAttribute('aria-rowcount')).toBe('5001');
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(2_000);
    await page.locator('.fields').evaluate((frame) => frame.scrollTo(0, frame.scrollHeight));
    const last = page.getByRole('button', { name: 'Remove Field of row 4998' });
    await last.focus();
    await page.keyboard.press('Enter');
    await last.waitFor({ state: 'detached' });
    // Another press would remove the field that is now the last one.
    await page.locator('[aria-label="Remove Field of row 4997"]:focus').waitFor();
    await page.locator('.fields').evaluate((frame) => frame.scrollTo(0, 0));
    await page.getByRole('button', { name: 'Circle', exact: true }).click();
    await page.getByRole('button', { name: 'Circle', exact: true, pressed: true }).waitFor();
    expect(await page.getByLabel('Field name').inputValue()).toBe('Circle');
    // Selecting fields leaves nothing behind that would slow down later changes of their outlines.
    const before = await heapOf();
    for (let turn = 0; turn < 10; turn++) {
      await page.getByRole('button', { name: 'Field of row 0', exact: true }).click();
      await page.getByRole('button', { name: 'Circle', exact: true }).click();
    }
    expect((await heapOf()) - before).toBeLessThan(10_000_000);
    expect(faults.filter((fault) => !fault.includes('ERR_CONNECTION_RESET'))).toEqual([]);
  });
});

describe('a field whose outline would take seconds to draw in each frame', () => {
  it('is shown as its bounds, and sent with all its corners', async () => {
    await page.evaluate(`
      globalThis.lines = 0;
      const { lineTo } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.lineTo = function (x, y) {
        lines++;
        lineTo.call(this, x, y);
      };
    `);
    const zigzag = thinZigzag([5.72, 50.96, 5.77, 50.99], 60_000, 1e-6);
    await openFields({ Zigzag: zigzag });
    await page.getByText(TEXTS.fields.dense).waitFor();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => page.evaluate('lines')).toBeGreaterThan(0);
    const [sent = []] = await readSentRings(page, 'Estimate', '**/v1/batch/estimate');
    expect(sent).toHaveLength(60_001);
    expect(await page.evaluate('lines')).toBeLessThan(20_000);
  });
});

async function heapOf(): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

describe('the map', () => {
  it('labels its meridians and parallels with degrees at its edges', async () => {
    await page.locator('#map canvas').first().waitFor();
    const labels = await watchLabels(page);
    await expect.poll(labels, { timeout: 20_000 }).toMatch(/^5° 4\d′.* E$/m);
    await expect.poll(labels, { timeout: 20_000 }).toMatch(/^50° 5\d′.* N$/m);
  });
});

function at(lon: number, lat: number, turn: number, radius: number): Position {
  const angle = turn * 2 * Math.PI;
  return [lon + radius * Math.cos(angle), lat + radius * Math.sin(angle)];
}
