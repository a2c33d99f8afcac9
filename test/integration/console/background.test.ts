import { createServer, type Server } from 'node:http';
import { decode, encode } from 'fast-png';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEXTS } from '../../../console/texts.ts';
import { drawField, enterKey, openConsole, SQUARE } from '../../support/console/console.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { findSmallTargets, findViolations } from './accessibility.ts';

const MAGENTA = [255, 0, 255, 255] as const;
const ATTRIBUTION = '© <b>makers</b> of maps';

interface TileServer {
  readonly origin: string;
  readonly paths: string[];
  readonly referrers: Set<string | undefined>;
  readonly server: Server;
}

async function startTileServer(): Promise<TileServer> {
  const data = new Uint8Array(256 * 256 * 4).map((_, at) => MAGENTA[at % 4] ?? 0);
  const png = encode({ width: 256, height: 256, data, channels: 4 });
  const paths: string[] = [];
  const referrers = new Set<string | undefined>();
  const server = createServer((request, response) => {
    paths.push(`${request.url}`);
    referrers.add(request.headers.referer);
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Content-Type', 'image/png').end(png);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { origin: `http://127.0.0.1:${port}`, paths, referrers, server };
}

let tiles: TileServer;
let other: TileServer;
let served: DevConsole;
let page: Page;
let faults: readonly string[];
let origins: ReadonlySet<string>;
beforeAll(async () => {
  [tiles, other] = await Promise.all([startTileServer(), startTileServer()]);
  const background = (name: string, origin: string) => ({
    ...{ name, attribution: ATTRIBUTION, maxZoom: 17 },
    url: `${origin}/{z}/{x}/{y}.png`,
  });
  const silent = await startTileServer();
  silent.server.close();
  served = await devConsole({
    console: {
      backgrounds: [background('Magenta', tiles.origin), background('Silent', silent.origin)],
    },
  });
  ({ page, faults, origins } = await openConsole(served.browser, served.url));
  await enterKey(page, served.apiKey);
  await page.locator('#map').waitFor();
});
afterAll(async () => {
  await served.close();
  for (const { server } of [tiles, other]) server.close();
});

const map = () => page.locator('#map');
const share = async () => computeMagentaShare(await map().screenshot());
const choose = (name: string) => page.getByRole('radio', { name }).check();

describe('a background map', () => {
  it('is off at first, with a note about who learns which region the user views', async () => {
    await page.getByText('Background').first().click();
    await page.getByText(TEXTS.map.backgroundLearns).waitFor();
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(1);
    expect(await page.getByRole('radio', { name: 'None' }).isChecked()).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    expect(await findSmallTargets(page)).toEqual([]);
    expect([...origins]).toEqual([served.url]);
    expect(tiles.paths).toEqual([]);
  });

  it("is drawn from tiles, credits their provider, and sends it only the page's origin", async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    await choose('Magenta');
    await expect.poll(share).toBeGreaterThan(0.5);
    expect(tiles.paths.filter((path) => !/^\/\d+\/\d+\/\d+\.png$/.test(path))).toEqual([]);
    expect([...origins].sort()).toEqual([served.url, tiles.origin].sort());
    expect(await map().locator('.attribution').textContent()).toBe(ATTRIBUTION);
    // OpenStreetMap requires a referrer.
    expect([...tiles.referrers]).toEqual([`${served.url}/`]);
    expect(await findViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('is enlarged beyond its largest zoom level', async () => {
    await page.getByLabel('Go to latitude, longitude').fill('50.9675, 5.735');
    await page.keyboard.press('Enter');
    await page.getByText(/^50.9675° N, 5.735° E/).waitFor();
    for (let step = 0; step < 5; step++) {
      await page.getByRole('button', { name: 'Zoom in' }).click();
    }
    await expect.poll(() => Math.max(...tiles.paths.map(zoomOf))).toBe(17);
    await expect.poll(share).toBeGreaterThan(0.5);
  });

  it('comes only from the configured hosts', async () => {
    const image = (url: string) => `new Promise((resolve) => {
      Object.assign(new Image(), { onload: () => resolve('shown'), onerror: () => resolve('refused'), src: '${url}' });
    })`;
    expect(await page.evaluate(image(`${tiles.origin}/1/1/1.png`))).toBe('shown');
    expect(await page.evaluate(image(`${other.origin}/1/1/1.png`))).toBe('refused');
    expect(await page.evaluate(`fetch('${tiles.origin}/1/1/1.png').catch(() => 'refused')`)).toBe(
      'refused',
    );
    expect(other.paths).toEqual([]);
  });

  it('is remembered by the tab', async () => {
    await page.reload();
    await map().waitFor();
    await expect.poll(share).toBeGreaterThan(0.5);
    await page.getByText('Background').first().click();
    expect(await page.getByRole('radio', { name: 'Magenta' }).isChecked()).toBe(true);
  });

  it('leaves the map usable, with a message, if its server does not respond', async () => {
    await choose('Silent');
    await page.getByText(TEXTS.map.backgroundFails('Silent')).waitFor();
    expect(await share()).toBe(0);
    await page.getByText('Background').first().click();
    await drawField(page, SQUARE);
    await page.getByRole('button', { name: 'Field 1', exact: true }).waitFor();
  });
});

const zoomOf = (path: string) => Number(path.split('/')[1]);

function computeMagentaShare(screenshot: Buffer): number {
  const { data, width, height, channels } = decode(screenshot);
  const colour = MAGENTA.slice(0, channels);
  let magenta = 0;
  for (let at = 0; at < data.length; at += channels) {
    if (colour.every((value, channel) => data[at + channel] === value)) magenta++;
  }
  return magenta / (width * height);
}
