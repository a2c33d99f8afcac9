import { mkdirSync, mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf } from '../../support/console/batches.ts';
import { enterKey, openConsole } from '../../support/console/console.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { fieldFiles } from '../../support/console/field-files.ts';
import { manyRings } from '../../support/console/many-rings.ts';
import { violationsOf } from './accessibility.ts';

let served: DevConsole;
beforeAll(async () => {
  served = await devConsole();
});
afterAll(() => served.close());

const VALID = ring([5.74, 50.97], [5.745, 50.97], [5.745, 50.973]);
const CROSSED = ring([5.74, 50.97], [5.745, 50.973], [5.745, 50.97], [5.74, 50.973]);

type Position = readonly [lon: number, lat: number];

function ring(first: Position, ...others: readonly Position[]) {
  return { type: 'Polygon', coordinates: [[first, ...others, first]] };
}

/** Opens a file of fields, by their names. */
async function openFields(
  page: Page,
  fields: Readonly<Record<string, object>>,
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

describe('the fields of a batch', () => {
  it('are estimated first: one that will fail is marked, with the reason', async () => {
    const { page, faults } = await openConsole(served.browser, served.url);
    await enterKey(page, served.apiKey);
    await openFields(page, { Meadow: VALID, Pasture: VALID, Knot: CROSSED });
    await page.getByLabel('Name of the batch').fill('Harvest');
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByRole('heading', { name: '1 field will fail' }).waitFor();
    await expect(page.locator('.facts').first().textContent()).resolves.toMatch(
      /^BatchHarvestYear\d{4}Area/,
    );
    await page.getByText(/^Uses 3 of the [\d,]+ jobs left today\.$/).waitFor();
    const warning = page.getByText(
      /^2 fields: .*the requested year \(\d+\) makes no difference\.$/,
    );
    expect(await warning.count()).toBe(1);
    // It is submitted as well, and counts in the quota.
    await page.getByRole('button', { name: 'Submit 3 fields' }).waitFor();
    await page.getByRole('link', { name: 'Back to the fields' }).click();
    await page.locator('tr', { hasText: 'Knot' }).getByText('intersects itself').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it('are not submitted while they do not fit into the quota, with the reason', async () => {
    const { page } = await openConsole(served.browser, served.url);
    await page.route('**/v1/batch/estimate', async (route) => {
      const response = await route.fetch();
      const estimate = await response.json();
      const jobs = { ...estimate.quota.jobs, remaining: 0 };
      const quota = { ...estimate.quota, jobs, fits: false };
      return route.fulfill({ response, body: JSON.stringify({ ...estimate, quota }) });
    });
    await enterKey(page, served.apiKey);
    await openFields(page, { Meadow: VALID });
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByText('does not fit into what is left of the quota').waitFor();
    await page.getByText('Needs 1 job; 0 jobs left today.').waitFor();
    expect(await page.getByRole('button', { name: 'Submit 1 field' }).isDisabled()).toBe(true);
    await page.close();
  });

  it('are named by an attribute on request, and attributes travel with the job', async () => {
    const { page } = await openConsole(served.browser, served.url);
    await enterKey(page, served.apiKey);
    await openFields(page, { Meadow: VALID }, { parcel: 'A 7', hectares: 1.5 });
    await page.getByLabel('Name from').selectOption('parcel');
    await page.getByRole('button', { name: 'A 7', exact: true }).waitFor();
    await page.getByLabel('Name of the batch').fill('named');
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByRole('button', { name: 'Submit 1 field' }).click();
    await page.getByRole('heading', { name: 'named' }).waitFor();
    const { batches } = await clientOf(served).listBatches({ name: 'named' });
    const rows = clientOf(served).batch(`${batches[0]?.batch_id}`).rows();
    expect((await rows.next()).value).toMatchObject({
      name: 'A 7',
      properties: { name: 'Meadow', parcel: 'A 7', hectares: 1.5 },
    });
    await page.close();
  });

  it('make one batch when they are submitted again while the first response is lost', async () => {
    const { page } = await openConsole(served.browser, served.url);
    let isLost = true;
    await page.route('**/v1/batch', async (route) => {
      if (!isLost) return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await enterKey(page, served.apiKey);
    await openFields(page, { Meadow: VALID });
    await page.getByLabel('Name of the batch').fill('once');
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
    const { batches } = await clientOf(served).listBatches({ name: 'once' });
    expect(batches).toHaveLength(1);
    await page.close();
  });

  it('can be 300, and one have 10,000 vertices', async () => {
    const { page, faults } = await openConsole(served.browser, served.url);
    await enterKey(page, served.apiKey);
    const fields = Array.from({ length: 300 }, (_, index) => {
      const [lon, lat] = [5.72 + (index % 20) / 1_000, 50.96 + Math.floor(index / 20) / 1_000];
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
    await openFields(page, { ...Object.fromEntries(fields), Circle: circle });
    await page.getByText('301 fields').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(301);
    await page.getByRole('button', { name: 'Circle', exact: true }).click();
    await page.getByRole('button', { name: 'Circle', exact: true, pressed: true }).waitFor();
    expect(await page.getByLabel('Name of the field').inputValue()).toBe('Circle');
    // To select fields keeps the rows, and leaves nothing behind that would slow the next change of their outlines.
    await page.evaluate(`globalThis.rowsBefore = [...document.querySelectorAll('tbody tr')]`);
    const before = await heapOf(page);
    for (let turn = 0; turn < 10; turn++) {
      await page.getByRole('button', { name: 'Field of row 0', exact: true }).click();
      await page.getByRole('button', { name: 'Circle', exact: true }).click();
    }
    expect((await heapOf(page)) - before).toBeLessThan(10_000_000);
    expect(await page.evaluate('rowsBefore.every(({ isConnected }) => isConnected)')).toBe(true);
    expect(faults).toEqual([]);
    await page.close();
  });
});

/** Bytes that the page still uses. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

describe('the map', () => {
  it('has the degrees of its meridians and parallels at its edges', async () => {
    const { page } = await openConsole(served.browser, served.url);
    await enterKey(page, served.apiKey);
    await page.locator('#map canvas').first().waitFor();
    const labels = await labelsOfMap(page);
    await expect.poll(labels, { timeout: 20_000 }).toMatch(/^5° 4\d′.* E$/m);
    await expect.poll(labels, { timeout: 20_000 }).toMatch(/^50° 5\d′.* N$/m);
    await page.close();
  });
});

/** Reads the texts that the map has drawn well inside its canvas since it was zoomed. */
async function labelsOfMap(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(`
    globalThis.labels = '';
    const draw = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      const { width, height } = this.canvas;
      if (x > 6 && x < width && y > 6 && y < height) labels += text + '\\n';
      draw.call(this, text, x, y);
    };
  `);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  return () => page.evaluate('labels');
}

describe('files that are dropped', () => {
  const paths = fieldFiles();
  const folder = mkdtempSync(join(tmpdir(), 'drops-'));
  let page: Page;
  let faults: readonly string[];
  beforeAll(async () => {
    ({ page, faults } = await openConsole(served.browser, served.url));
    await enterKey(page, served.apiKey);
    await page.getByRole('button', { name: 'Draw a field' }).waitFor();
    await page.locator('#map canvas').first().waitFor();
  });

  /** Drags files and folders of the disk on the page, as a file manager does. */
  async function drop(...files: readonly string[]): Promise<void> {
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [...files], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await session.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data });
    }
    await session.detach();
  }

  function made(name: string, content: string | Uint8Array): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  }

  async function removeAll(): Promise<void> {
    await page.getByRole('button', { name: 'Remove all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove all' }).click();
  }

  it('are taken after the form for the key, which needs at most 120 kB, compressed', async () => {
    const context = await served.browser.newContext();
    const form = await context.newPage();
    const asked: string[] = [];
    form.on('requestfinished', (request) => asked.push(request.url()));
    // What only the map needs never comes.
    await form.route('**/shell-*.js', () => {});
    const shell = form.waitForRequest('**/shell-*.js');
    await form.goto(`${served.url}/console`);
    await form.getByLabel('API key').fill('soc_');
    await shell;
    await expect.poll(() => asked.length).toBeGreaterThan(2);
    const bytes = await compressedBytes(asked);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(120_000);
    const loading = await (await fetch(`${served.url}/console`)).text();
    expect(loading).toContain('Loading the console');
    await context.close();
  });

  it('are taken after at most 350 kB of gzipped scripts and styles, without their readers', async () => {
    const urls: readonly string[] = await page.evaluate(
      "performance.getEntriesByType('resource').map(({ name }) => name)",
    );
    const assets = urls.filter((url) => url.startsWith(`${served.url}/console/`));
    expect(assets.length).toBeGreaterThan(2);
    expect(await compressedBytes(assets)).toBeLessThan(350_000);
    expect(assets.filter((url) => /geopackage|shapefile|raster|zstd/.test(url))).toEqual([]);
  });

  async function compressedBytes(urls: readonly string[]): Promise<number> {
    const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
    return texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
  }

  it.each(paths.map((path) => [basename(path), path]))('are read: %s', async (_, path) => {
    await drop(path);
    await page.getByText('3 fields').waitFor();
    await page.getByRole('button', { name: 'veld 3', exact: true }).waitFor();
    await removeAll();
  });

  it('can be several, of which some are refused, each with its reason', async () => {
    const [name, png] = ['<img src=x onerror=document.title=1>', '<b>fields</b>.png'];
    const large = made('large.geojson', '{');
    truncateSync(large, 50_000_001);
    mkdirSync(join(folder, 'more fields'));
    await drop(
      ...paths,
      made('empty.gpkg', ''),
      large,
      made(png.replace('/', ''), 'x'),
      join(folder, 'more fields'),
      made(
        `${name}.json`,
        JSON.stringify({ type: 'Feature', properties: { name }, geometry: VALID }),
      ),
    );
    await page.getByText('10 fields').waitFor();
    await page.getByRole('button', { name, exact: true }).waitFor();
    expect(await page.locator('.error > .line').allTextContents()).toEqual([
      'empty.gpkg is empty.',
      'large.geojson has more than 50 MB.',
      '<b>fields<b>.png is not a GeoJSON, GeoPackage or zipped Shapefile. Save it as one of these.',
      'more fields is a folder or can no longer be read. Open the files that are in it.',
    ]);
    expect(await page.locator('main img, main b').count()).toBe(0);
  });

  it('are asked about what they do not say', async () => {
    await removeAll();
    const rd = [
      [181_000, 332_500],
      [181_200, 332_500],
      [181_200, 332_700],
      [181_000, 332_500],
    ];
    const polygon = { type: 'Polygon', coordinates: [rd] };
    await drop(
      join(dirname(paths[0] ?? ''), 'layers.gpkg'),
      made('rd.geojson', JSON.stringify(polygon)),
    );
    await page.getByLabel('Layer to open').selectOption('trial');
    await page.getByRole('button', { name: 'Open it' }).click();
    const system = page.getByLabel('Its coordinate reference system');
    await system.fill('28992');
    expect(await violationsOf(page)).toEqual([]);
    await system.press('Enter');
    await page.getByText('2 fields').waitFor();
    await drop(made('other.geojson', JSON.stringify(polygon)));
    await page.getByRole('button', { name: 'Leave it out' }).click();
    await page.getByText('2 fields').waitFor();
    expect(await page.locator('.error > .line').count()).toBe(0);
  });

  it('do not stop the page, however long they take', async () => {
    const { page: other } = await openConsole(served.browser, served.url);
    await enterKey(other, served.apiKey);
    await other.clock.install();
    await other.locator('#file').setInputFiles(made('rings.zip', manyRings()));
    await other.getByText('Reading rings.zip').waitFor();
    await other.getByText('Paste fields').click();
    await other.getByLabel('GeoJSON, or corners of a field').waitFor();
    const refusals = async () => {
      await other.clock.fastForward(31_000);
      return other.locator('.error > .line').allTextContents();
    };
    const refusal = expect.stringContaining('rings.zip was not read within 30 seconds');
    await expect.poll(refusals, { timeout: 60_000 }).toEqual([refusal]);
    await other.close();
  });

  it('do not replace a page that takes none', async () => {
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByRole('heading', { name: 'Estimate' }).waitFor();
    const isReplaced = await page.evaluate(`['dragover', 'drop'].map((type) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['x'], 'x.geojson'));
      const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
      return document.body.dispatchEvent(event);
    })`);
    expect(isReplaced).toEqual([false, false]);
    expect(faults).toEqual([]);
  });
});

function at(lon: number, lat: number, turn: number, radius: number): Position {
  const angle = turn * 2 * Math.PI;
  return [lon + radius * Math.cos(angle), lat + radius * Math.sin(angle)];
}
