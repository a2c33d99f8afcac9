import { execFileSync } from 'node:child_process';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFailed } from 'vitest';
import { TEXTS } from '../../console/texts.ts';
import { aBox } from '../support/box.ts';
import { openBrowser } from '../support/browser.ts';
import { HOSTILE } from '../support/console/batches.ts';
import {
  type ConsolePage,
  enterKey,
  mapOneField,
  openConsole,
  readMiddle,
} from '../support/console/console.ts';
import { FIELD_FILES } from '../support/console/field-files.ts';

const service = inject('service');

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Prints what the page contains if the test fails, because a timeout alone would not show it. */
async function openedConsole(): Promise<ConsolePage> {
  const opened = await openConsole(browser, service.v2_url);
  const { page, faults } = opened;
  onTestFailed(async () => {
    const shown = await page.locator('body').innerText();
    console.error([page.url(), shown, ...faults].join('\n'));
  });
  return opened;
}

const READ_CELL = `
import json, sys, rasterio
from rasterio.warp import transform
with rasterio.open(sys.argv[1]) as raster:
    x, y = transform("EPSG:4326", raster.crs, [float(sys.argv[2])], [float(sys.argv[3])])
    print(json.dumps([float(value) for value in next(raster.sample([(x[0], y[0])]))]))
`;

describe('the deployed console', () => {
  it('links to the licences of its packages before a key is entered', async () => {
    const { page } = await openedConsole();
    await page.getByRole('link', { name: TEXTS.key.licences }).click();
    await page.getByText('OpenLayers Contributors').waitFor();
  });

  it('shows the same values at a place as rasterio reads, within its content policy', async () => {
    const { page, faults, origins } = await openedConsole();
    await enterKey(page, service.api_key);
    await mapOneField(page);
    const { text, lon, lat } = await readMiddle(page);
    const [, value, lower, upper] =
      /^([\d.]+) kg\/m³, 90 % interval ([\d.]+) to ([\d.]+)/.exec(text) ?? [];
    const url = await page.getByRole('link', { name: 'Download the GeoTIFF' }).getAttribute('href');
    const [api, bucket] = [service.v2_url, `${url}`].map((of) => new URL(of).origin);
    expect(bucket).not.toBe(api);
    expect([...origins].sort()).toEqual([api, bucket].sort());
    const cell = execFileSync('.local/venv/bin/python', [
      '-c',
      READ_CELL,
      `${url}`,
      `${lon}`,
      `${lat}`,
    ]);
    const read: readonly number[] = JSON.parse(cell.toString());
    expect([value, lower, upper].map(Number)).toEqual(
      read.map((number) => Number(number.toPrecision(3))),
    );
    expect(faults).toEqual([]);
    await page.close();
  });

  it('reads fields from files of each format', async () => {
    const { page, faults } = await openedConsole();
    await enterKey(page, service.api_key);
    const third = page.getByRole('button', { name: 'veld 3', exact: true });
    for (const [index, file] of FIELD_FILES.entries()) {
      await page.locator('#file').setInputFiles(file);
      await page
        .getByText(`${3 * (index + 1)} fields`)
        .first()
        .waitFor();
      await expect.poll(() => third.count()).toBe(index + 1);
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it('shows names from a file as plain text', async () => {
    const { page, faults } = await openedConsole();
    await enterKey(page, service.api_key);
    const geometry = aBox(5.74, 50.97, 5.745, 50.973);
    await page.locator('#file').setInputFiles({
      name: `${HOSTILE}.geojson`.replaceAll('/', ''),
      mimeType: 'application/geo+json',
      buffer: Buffer.from(
        JSON.stringify({ type: 'Feature', properties: { name: HOSTILE }, geometry }),
      ),
    });
    await page.getByRole('button', { name: HOSTILE, exact: true }).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('explains a wrong key, and shows no map', async () => {
    const { page } = await openedConsole();
    await enterKey(page, `${service.api_key.slice(0, -4)}AAAA`);
    await page.getByText(TEXTS.key.refused).waitFor();
    expect(await page.locator('#map').count()).toBe(0);
    await page.close();
  });

  it('keeps the key neither in a storage nor in the page or its address if other pages share the origin', async () => {
    const { page } = await openedConsole();
    await enterKey(page, service.api_key);
    await page.locator('#map canvas').first().waitFor();
    const kept = await page.evaluate(
      `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state,
        location.href, document.documentElement.outerHTML, document.querySelectorAll('input').length])`,
    );
    expect(kept).not.toContain(service.api_key);
    expect(kept).toContain('/console');
    await page.reload();
    await expect(page.getByLabel('API key').inputValue()).resolves.toBe('');
    await page.close();
  });

  it('lets browsers cache its files for a year, but requires revalidation of its page', async () => {
    const page = await fetch(`${service.v2_url}/console`);
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const text = await page.text();
    const [, script] = /src="(\.\/console\/app-\w+\.js)"/.exec(text) ?? [];
    const [, style] = /href="(\.\/console\/app-\w+\.css)"/.exec(text) ?? [];
    const compressed = await fetch(new URL(`${style}`, page.url));
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(await compressed.text()).toContain('{');
    const file = await fetch(new URL(`${script}`, page.url));
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const etag = `${page.headers.get('etag')}`;
    const again = await fetch(page.url, { headers: { 'If-None-Match': etag } });
    expect(again.status).toBe(304);
  });

  it('is only on V2, to which V1 refers', async () => {
    const response = await fetch(`${service.v1_url}/console`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain(`${service.v2_url}/console`);
  });
});
