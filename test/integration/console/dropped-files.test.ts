import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEXTS } from '../../../console/texts.ts';
import { aBox } from '../../support/box.ts';
import { FIELD, removeAll } from '../../support/console/batches.ts';
import { enterKey, openConsole } from '../../support/console/console.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { FIELD_FILES } from '../../support/console/field-files.ts';
import { findViolations } from './accessibility.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/fields');

let served: DevConsole;
let page: Page;
let faults: readonly string[];
beforeAll(async () => {
  served = await devConsole();
  ({ page, faults } = await openConsole(served.browser, served.url));
  await enterKey(page, served.apiKey);
  await page.getByRole('button', { name: 'Draw a field' }).waitFor();
  await page.locator('#map canvas').first().waitFor();
});
afterAll(() => served.close());

describe('the console', () => {
  it('loads at most 120 kB of compressed files for the key form', async () => {
    const context = await served.browser.newContext();
    const form = await context.newPage();
    const asked: string[] = [];
    form.on('requestfinished', (request) => asked.push(request.url()));
    // Never answer requests for the script that only the map needs.
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

  it('loads at most 350 kB of gzipped scripts and styles for the map, without the file readers', async () => {
    await page.locator('#map .locator').waitFor();
    const urls: readonly string[] = await page.evaluate(
      "performance.getEntriesByType('resource').map(({ name }) => name)",
    );
    const loaded = urls.filter((url) => url.startsWith(`${served.url}/console/`));
    // The land loads after the page is shown.
    const isLand = (url: string) => /\/land-\w+\.js$/.test(url);
    const assets = loaded.filter((url) => !isLand(url));
    expect(assets.length).toBeGreaterThan(2);
    expect(await compressedBytes(assets)).toBeLessThan(350_000);
    const land = loaded.filter(isLand);
    expect(land).toHaveLength(1);
    expect(await compressedBytes(land)).toBeLessThan(260_000);
    expect(assets.filter((url) => /geopackage|shapefile|raster|zstd/.test(url))).toEqual([]);
  });

  async function compressedBytes(urls: readonly string[]): Promise<number> {
    const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
    return texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
  }
});

describe('dropped files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drops-'));
  /** A file that disappears before it is read; a folder fails in the same way. */
  const vanishing = join(folder, 'vanishing.geojson');
  /**
   * Drops files from the disk on the page. The page itself dispatches the events, because on a busy machine
   * Chromium may never acknowledge events of the protocol (`Input.dispatchDragEvent`).
   */
  async function drop(...files: readonly string[]): Promise<void> {
    await page.evaluate(`document.body.append(Object.assign(
      document.createElement('input'), { type: 'file', multiple: true, id: 'dropped', hidden: true }
    ))`);
    await page.locator('#dropped').setInputFiles([...files]);
    // Wait until the browser has looked at the files.
    await page.evaluate("[...document.querySelector('#dropped').files].map(({ size }) => size)");
    rmSync(vanishing, { force: true });
    await dispatchDrop("document.querySelector('#dropped').files");
    await page.evaluate("document.querySelector('#dropped').remove()");
  }

  /**
   * @returns whether the page left the events to the browser, which would open the files in place of the page
   */
  async function dispatchDrop(files: string): Promise<readonly boolean[]> {
    return page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      for (const file of ${files}) dataTransfer.items.add(file);
      return ['dragover', 'drop'].map((type) =>
        document.body.dispatchEvent(
          new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
        ),
      );
    })()`);
  }

  function made(name: string, content: string | Uint8Array): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  }

  it.each(FIELD_FILES.map((path) => [basename(path), path]))(
    'are read if they are %s',
    async (_, path) => {
      await drop(path);
      await page.getByText('3 fields').waitFor();
      await page.getByRole('button', { name: 'veld 3', exact: true }).waitFor();
      await removeAll(page);
    },
  );

  it('may be several, and each rejected file is explained', async () => {
    const [name, png] = ['<img src=x onerror=document.title=1>', '<b>fields</b>.png'];
    const large = made('large.geojson', '{');
    truncateSync(large, 50_000_001);
    await drop(
      ...FIELD_FILES,
      made('empty.gpkg', ''),
      large,
      made(png.replace('/', ''), 'x'),
      made(basename(vanishing), '{}'),
      made(
        `${name}.json`,
        JSON.stringify({ type: 'Feature', properties: { name }, geometry: aBox(...FIELD) }),
      ),
    );
    await page.getByText('13 fields').waitFor();
    await page.getByRole('button', { name, exact: true }).waitFor();
    expect(await page.locator('.error > .line').allTextContents()).toEqual([
      'empty.gpkg is empty.',
      'large.geojson has more than 50 MB.',
      expect.stringMatching(/^<b>fields<b>\.png is not /),
      'vanishing.geojson is a folder or can no longer be read. If it is a folder, open the files in it.',
    ]);
    expect(await page.locator('main img, main b').count()).toBe(0);
  });

  it('cause questions about missing information', async () => {
    await removeAll(page);
    const rd = [
      [181_000, 332_500],
      [181_200, 332_500],
      [181_200, 332_700],
      [181_000, 332_500],
    ];
    const polygon = { type: 'Polygon', coordinates: [rd] };
    await drop(join(FIXTURES, 'layers.gpkg'), made('rd.geojson', JSON.stringify(polygon)));
    const layer = page.getByLabel('Layer to open');
    await layer.selectOption('Äcker');
    const { y = 0, height = 0 } = (await layer.boundingBox()) ?? {};
    const below = await page.getByRole('button', { name: 'Open it' }).boundingBox();
    expect(below?.y).toBeGreaterThan(y + height + 4);
    expect(await page.getByText(TEXTS.file.reading('layers.gpkg')).count()).toBe(0);
    await page.getByRole('button', { name: 'Open it' }).click();
    const system = page.getByLabel('Coordinate reference system');
    await system.waitFor();
    // Another file waits until the question is answered.
    await drop(made('later.geojson', JSON.stringify(aBox(...FIELD))));
    await page.getByText(TEXTS.file.waits).waitFor();
    expect(await system.evaluate((input) => input.ownerDocument.activeElement === input)).toBe(
      true,
    );
    await system.fill('28992');
    expect(await findViolations(page)).toEqual([]);
    await system.press('Enter');
    await page.getByText('3 fields').waitFor();
    await drop(made('other.geojson', JSON.stringify(polygon)));
    await page.getByRole('button', { name: 'Leave it out' }).click();
    await page.getByText('3 fields').waitFor();
    expect(await page.locator('.error > .line').count()).toBe(0);
  });

  it('with only points become discs of the radius that the user enters', async () => {
    await removeAll(page);
    await drop(join(FIXTURES, 'points.gpkg'));
    const radius = page.getByLabel('Radius of the discs');
    await radius.fill('0');
    await radius.press('Enter');
    await page.locator('#radius:invalid').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await radius.fill('50');
    await radius.press('Enter');
    await page.getByText('5 fields').waitFor();
    await page.getByRole('row', { name: 'f0' }).getByText('0.784 ha').waitFor();
    const sent = page.waitForRequest('**/v1/batch/estimate');
    await page.getByRole('button', { name: 'Estimate' }).click();
    expect((await sent).postDataJSON().jobs[0].polygon.coordinates[0]).toHaveLength(65);
    // Two of the points are empty.
    await page.getByRole('heading', { name: '2 fields will fail' }).waitFor();
    await page.getByRole('link', { name: 'Back to the fields' }).click();
  });

  it('are read again in the encoding that the user chooses, which replaces their fields', async () => {
    await removeAll(page);
    const parts = ['shp', 'shx', 'dbf', 'prj'].map((ending) => {
      const part = readFileSync(join(FIXTURES, `gbk_nocpg.${ending}`));
      return [`gbk.${ending}`, new Uint8Array(part)] as const;
    });
    await drop(
      join(FIXTURES, 'two_pts.geojson'),
      made('gbk.zip', zipSync(Object.fromEntries(parts))),
    );
    await page.getByText('3 fields').waitFor();
    await page.getByRole('button', { name: 'Choose another encoding' }).click();
    await page.getByLabel('Text encoding').selectOption('gbk');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Open it' }).click();
    await page.getByRole('button', { name: '东边地', exact: true }).waitFor();
    await page.getByText('3 fields').waitFor();
  });

  it('may have outlines that cannot be drawn, and the estimate says why their jobs will fail', async () => {
    await removeAll(page);
    await drop(
      ...['nan_coord.gpkg', 'two_pts.geojson', 'unclosed.kml'].map((name) => join(FIXTURES, name)),
    );
    await page.getByText('4 fields').waitFor();
    const sent = page.waitForRequest('**/v1/batch/estimate');
    await page.getByRole('button', { name: 'Estimate' }).click();
    expect(JSON.stringify((await sent).postDataJSON().jobs[0].polygon)).toContain('null');
    await page.getByRole('heading', { name: '3 fields will fail' }).waitFor();
    await page.getByRole('link', { name: 'Back to the fields' }).click();
    expect(faults).toEqual([]);
  });

  it('do not freeze the page, however long they take', async () => {
    const { page: other } = await openConsole(served.browser, served.url);
    await enterKey(other, served.apiKey);
    await other.clock.install();
    // Use a reader that never ends, however fast the machine is.
    const body = 'for (;;);';
    await other.route('**/console/kml-*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body }),
    );
    const reader = other.waitForResponse('**/console/kml-*.js');
    await other.locator('#file').setInputFiles(made('endless.kml', '<kml/>'));
    await reader;
    expect(other.workers()).toHaveLength(1);
    await other.getByText(TEXTS.file.reading('endless.kml')).waitFor();
    await other.getByText('Paste fields').click();
    await other.getByLabel('GeoJSON, or corners of a field').waitFor();
    await other.clock.fastForward(30_000);
    await other.getByText(TEXTS.file.slow('endless.kml', 30)).waitFor();
    await expect.poll(() => other.workers()).toEqual([]);
    await other.close();
  });

  it('do not replace a page that accepts no files', async () => {
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByRole('heading', { name: 'Estimate' }).waitFor();
    expect(await dispatchDrop("[new File(['x'], 'x.geojson')]")).toEqual([false, false]);
    expect(faults).toEqual([]);
  });
});
