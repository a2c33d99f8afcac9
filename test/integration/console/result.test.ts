import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { formatUnit } from '#engine/display/unit-text.ts';
import { TEXTS } from '../../../console/texts.ts';
import { connectTo, FIELD, HOSTILE } from '../../support/console/batches.ts';
import { readMiddle } from '../../support/console/console.ts';
import { openResult, STATUS } from './opened-result.ts';
import { readCell } from './rasterio.ts';

const {
  folder,
  raster,
  served,
  batch,
  jobIds,
  model,
  address,
  page,
  faults,
  origins,
  go,
  cellsOfBars,
  close,
} = await openResult();
afterAll(close);

const formatShown = (value: number) =>
  new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);
/** The value that a screen reader announces by itself. */
const readAnnounced = async () => {
  const live = page.locator(':is(.readout, .readout *):is([role=status], output, [aria-live])');
  return (await live.allTextContents()).join();
};
const histogramDrawn = () => expect.poll(async () => (await cellsOfBars()).length).toBe(24);

describe('the result page', () => {
  it('shows the same value under the pointer as rasterio reads', async () => {
    const { text, lon, lat } = await readMiddle(page);
    const { values } = await readCell(raster, lon, lat);
    const [mean = Number.NaN] = values;
    const [low, high] = [Math.min(...values), Math.max(...values)].map(formatShown);
    expect(text).toContain(
      TEXTS.result.value(
        `${formatShown(mean)} ${formatUnit(model.property.unit)}`,
        90,
        `${low}`,
        `${high}`,
      ),
    );
  });

  it('does not draw the map again to read a value', async () => {
    await page.evaluate(`
      globalThis.drawings = 0;
      const draw = WebGLRenderingContext.prototype.drawElements;
      WebGLRenderingContext.prototype.drawElements = function (...values) {
        drawings++;
        return draw.apply(this, values);
      };
    `);
    let x = 200;
    const drawingsOfMove = async () => {
      await page.evaluate('drawings = 0');
      await page.locator('#map').hover({ position: { x: x++, y: 300 } });
      await page.evaluate(`new Promise((drawn) => {
        requestAnimationFrame(() => requestAnimationFrame(drawn));
      })`);
      return page.evaluate('drawings');
    };
    // The last tiles may still be arriving.
    await expect.poll(drawingsOfMove).toBe(0);
  });

  it('states what the map shows, and the numbers of the whole field', async () => {
    await page.getByText(`Soil organic carbon density, 0–20 cm, in kg/m³ · 2021 · `).waitFor();
    const { summary } = await connectTo(served)
      .batch(batch.batch_id)
      .job(`${jobIds.get(HOSTILE)}`);
    const tonnes = `${formatShown(summary?.stock?.value ?? Number.NaN)} t of carbon`;
    const hectares = `${formatShown(summary?.area_ha ?? Number.NaN)} ha`;
    const text = (await page.getByText('Mean of the field').textContent()) ?? '';
    expect(text).toContain(`Total stock: ${tonnes} (90 % interval`);
    expect(text).toContain(TEXTS.result.area(hectares, hectares));
    const [{ metric, value } = { metric: '', value: 0 }] = model.accuracy;
    await page.getByText(`${metric} ${formatShown(value)}`).waitFor();
    const outside = formatShown(100 * (summary?.outside_share ?? Number.NaN));
    await page.getByText(TEXTS.job.outsideShare(outside)).waitFor();
    await page.getByText(model.not_for.join('; ')).waitFor();
    const [{ citation } = expect.fail('no license')] = model.licenses;
    await page.getByText(TEXTS.result.sources).click();
    await page.getByText(citation).first().waitFor();
  });

  it('names the bounds of the interval briefly, and describes them below', async () => {
    const shown = page.getByLabel('Shown on the map');
    expect(await shown.locator('option').allTextContents()).toEqual([
      'Expected value',
      TEXTS.result.lower(90),
      TEXTS.result.upper(90),
      TEXTS.result.width(90),
    ]);
    const description = page.getByText(model.bands[1]?.description ?? 'none', { exact: true });
    await shown.selectOption({ index: 1 });
    expect(await description.isVisible()).toBe(true);
    await shown.selectOption({ index: 0 });
    expect(await description.count()).toBe(0);
  });

  it('shows the value in the middle of the field without a pointer, and follows the arrow keys', async () => {
    await page.mouse.move(0, 0);
    await page.getByRole('button', { name: 'Show value at centre' }).press('Enter');
    await expect.poll(readAnnounced).toMatch(/kg\/m³.*50\.971\d*° N, 5\.742\d*° E/);
    await page.locator('#map').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(readAnnounced).toMatch(/5\.74[3-9]\d*° E/);
    const goOn = async () => {
      await page.keyboard.press('ArrowRight');
      return readAnnounced();
    };
    await expect.poll(goOn).toContain(TEXTS.result.noValue);
    await page.getByRole('button', { name: 'Show value at centre' }).press('Enter');
    await expect.poll(readAnnounced).toContain('kg/m³');
  });

  it('does not make a screen reader announce the value under the pointer', async () => {
    const { text } = await readMiddle(page);
    expect(text).toContain('kg/m³');
    expect(await readAnnounced()).toBe('');
  });

  it('counts every valid cell in the histogram', async () => {
    await histogramDrawn();
    const cells = await cellsOfBars();
    const { valid } = await readCell(raster, FIELD[0], FIELD[1]);
    expect(valid).toBeGreaterThan(100);
    expect(cells.reduce((sum, amount) => sum + amount, 0)).toBe(valid);
  });

  it("has the batch's colours, or the colours of the model or the field on request", async () => {
    await histogramDrawn();
    const { display_ranges: ranges } = await connectTo(served).batch(batch.batch_id).status();
    const [{ minimum, maximum } = expect.fail('no range')] = ranges ?? [];
    const legendFrom = (low: number, high: number) =>
      page.getByRole('img', { name: `: ${formatShown(low)} – ${formatShown(high)} kg/m³` });
    const choose = (scale: string) => page.getByLabel('Colours span').selectOption(scale);
    await legendFrom(minimum, maximum).waitFor();
    const ofBatch = await cellsOfBars();
    const [low = Number.NaN, high = Number.NaN] = model.bands[0]?.display_range ?? [];
    await choose('model');
    await legendFrom(low, high).waitFor();
    expect(await page.locator('.axis').textContent()).toBe('20406080100');
    expect(await cellsOfBars()).not.toEqual(ofBatch);
    await choose('field');
    await legendFrom(low, high).waitFor({ state: 'detached' });
    await choose('batch');
    await legendFrom(minimum, maximum).waitFor();
  });

  it('changes legend, histogram and value with the band', async () => {
    await readMiddle(page);
    const before = await cellsOfBars();
    const ends = () => page.locator('.legend p').textContent();
    const ofMean = await ends();
    await page.getByLabel('Shown on the map').selectOption({ label: TEXTS.result.width(90) });
    expect(await ends()).not.toBe(ofMean);
    expect(await cellsOfBars()).not.toEqual(before);
    const { text, lon, lat } = await readMiddle(page);
    const { values } = await readCell(raster, lon, lat);
    const width = formatShown(Math.max(...values) - Math.min(...values));
    expect(text).toContain(
      TEXTS.result.shown(TEXTS.result.width(90), width, formatUnit(model.property.unit)),
    );
    await page.getByLabel('Shown on the map').selectOption({ index: 0 });
  });

  it('downloads the raster with its file name', async () => {
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download the GeoTIFF' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/\.tif$/);
    expect(readFileSync(await file.path()).equals(readFileSync(raster))).toBe(true);
  });

  it('stays open if the bucket rejects the download', async () => {
    const context = page.context();
    await context.route('https://bucket.example/**', (route) =>
      route.fulfill({ status: 403, contentType: 'application/xml', body: '<Error/>' }),
    );
    const link = page.getByRole('link', { name: 'Download the GeoTIFF' });
    const address = (await link.getAttribute('href')) ?? '';
    const pointTo = (url: string) =>
      page.evaluate(`document.querySelector('a[download]').href = ${JSON.stringify(url)}`);
    await pointTo('https://bucket.example/expired.tif');
    const opened = context.waitForEvent('page');
    await link.click();
    await (await opened).close();
    expect(page.url()).toContain(batch.batch_id);
    await pointTo(address);
  });

  it('saves the QGIS style of the band that the map shows', async () => {
    const shown = page.getByLabel('Shown on the map');
    const button = page.getByRole('button', { name: 'Save the QGIS style' });
    for (const [index, { name }] of model.bands.entries()) {
      await shown.selectOption({ index });
      const download = page.waitForEvent('download');
      await button.click();
      const file = await download;
      expect(file.suggestedFilename()).toBe(`${model.model}_${name}.qml`);
      const qml = readFileSync(await file.path(), 'utf8');
      expect(qml).toContain(` band="${index + 1}"`);
      expect(qml).toContain(`classificationMin="${batch.display_ranges?.[0]?.minimum}"`);
    }
    await shown.selectOption({ label: TEXTS.result.width(90) });
    expect(await button.isVisible()).toBe(false);
    expect(await page.getByText(TEXTS.result.styleOfBand).isVisible()).toBe(true);
    await shown.selectOption({ index: 0 });
    expect(await page.getByText(TEXTS.result.styleOfBand).isVisible()).toBe(false);
  });

  it('has a working curl command that does not contain the key', async () => {
    await page.getByText('Download with curl').click();
    const command = (await page.locator('.command').textContent()) ?? '';
    expect(command).toContain('"Authorization: Bearer $API_KEY"');
    expect(await page.content()).not.toContain(served.apiKey);
    const env = { ...process.env, API_KEY: served.apiKey };
    const cwd = mkdtempSync(join(folder, 'curl-'));
    // The service runs in this process, so the command must not block it.
    await promisify(execFile)('sh', ['-c', command], { cwd, env, timeout: 30_000 });
    const [name = ''] = readdirSync(cwd);
    expect(readFileSync(join(cwd, name)).equals(readFileSync(raster))).toBe(true);
  });

  it('shows the job name as plain text, and does not violate the content policy', async () => {
    await expect(page.locator('main h1').textContent()).resolves.toBe(HOSTILE);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('sends requests only to the API and the bucket', () => {
    // `npm run dev` serves both the API and the results.
    expect([...origins]).toEqual([served.url]);
  });

  it('shows and focuses its heading immediately, and then adds the name', async () => {
    await go('#/fields');
    await page.route(STATUS, async (route) => {
      await page.locator('h1:focus', { hasText: 'Result' }).waitFor();
      await route.continue();
    });
    await go(address);
    await page.locator('h1:focus', { hasText: HOSTILE }).waitFor();
    await page.unroute(STATUS);
  });

  it("draws the cells in the legend's colours from the first frame", async () => {
    await go('#/fields');
    await page.evaluate(NOTE_OPACITY);
    await go(address);
    const opacities = () => page.evaluate<number[]>('[...window.opacities]');
    await expect.poll(opacities).toContain(255);
    expect((await opacities()).filter((opacity) => ![0, 255].includes(opacity))).toEqual([]);
  });
});

/** Records the raster's opacity in the middle of the map for each frame until the page is left. */
const NOTE_OPACITY = `
  window.opacities = new Set();
  const probe = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
  const context = probe.getContext('2d', { willReadFrequently: true });
  const look = () => {
    // Only the raster is drawn by WebGL, whose canvas has no other context.
    for (const canvas of document.querySelectorAll('#map canvas')) {
      if (canvas.getContext('2d') !== null) continue;
      context.clearRect(0, 0, 1, 1);
      context.drawImage(canvas, canvas.width / 2, canvas.height / 2, 1, 1, 0, 0, 1, 1);
      window.opacities.add(context.getImageData(0, 0, 1, 1).data[3]);
    }
    requestAnimationFrame(look);
  };
  look();`;
