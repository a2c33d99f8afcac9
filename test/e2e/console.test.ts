import { execFileSync } from 'node:child_process';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser } from '../browser.ts';
import { enterKey, mapOneField, openConsole, readMiddle } from '../console.ts';

const service = inject('service');

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** What GDAL reads at a place: the bands of its cell. */
const READ_CELL = `
import json, sys, rasterio
from rasterio.warp import transform
with rasterio.open(sys.argv[1]) as raster:
    x, y = transform("EPSG:4326", raster.crs, [float(sys.argv[2])], [float(sys.argv[3])])
    print(json.dumps([float(value) for value in next(raster.sample([(x[0], y[0])]))]))
`;

describe('the console of the deployed service', () => {
  it('shows at a place the values that rasterio reads there, within its content policy', async () => {
    const { page, faults } = await openConsole(browser, service.v2_url);
    await enterKey(page, service.api_key);
    await mapOneField(page);
    const { text, lon, lat } = await readMiddle(page);
    const [, value, lower, upper] =
      /^([\d.]+) kg\/m3, 90 % interval ([\d.]+) to ([\d.]+)/.exec(text) ?? [];
    const url = await page.getByRole('link', { name: 'Download the GeoTIFF' }).getAttribute('href');
    expect(new URL(url ?? '').origin).not.toBe(new URL(service.v2_url).origin);
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

  it('serves the page for revalidation, and its files for a year', async () => {
    const page = await fetch(`${service.v2_url}/console`);
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const [, script] = /src="(\.\/console\/app-\w+\.js)"/.exec(await page.text()) ?? [];
    const file = await fetch(new URL(`${script}`, page.url));
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const etag = `${page.headers.get('etag')}`;
    const again = await fetch(page.url, { headers: { 'If-None-Match': etag } });
    expect(again.status).toBe(304);
  });

  it('is only on V2, and V1 says where', async () => {
    const response = await fetch(`${service.v1_url}/console`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain(`${service.v2_url}/console`);
  });
});
