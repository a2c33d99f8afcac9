import { createServer, type Server } from 'node:http';
import { decode, encode } from 'fast-png';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { enterKey, openConsole } from '../../support/console/console.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';

const MAGENTA = [255, 0, 255, 255] as const;
const ATTRIBUTION = '© <b>makers</b> of maps';

interface TileServer {
  readonly origin: string;
  readonly paths: string[];
  readonly referrers: Set<string | undefined>;
  readonly server: Server;
}

/** Serves tiles of one colour to pages of any origin. */
async function tileServer(): Promise<TileServer> {
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
beforeAll(async () => {
  [tiles, other] = await Promise.all([tileServer(), tileServer()]);
  served = await devConsole({
    console: { tileUrl: `${tiles.origin}/{z}/{x}/{y}.png`, tileAttribution: ATTRIBUTION },
  });
});
afterAll(async () => {
  await served.close();
  for (const { server } of [tiles, other]) server.close();
});

it('draws the tiles of the configured base map, credits it, and allows no other', async () => {
  const { page, faults, origins } = await openConsole(served.browser, served.url);
  await enterKey(page, served.apiKey);
  const map = page.locator('#map');
  await map.waitFor();
  await expect.poll(async () => magentaShare(await map.screenshot())).toBeGreaterThan(0.5);
  expect(tiles.paths.filter((path) => !/^\/\d+\/\d+\/\d+\.png$/.test(path))).toEqual([]);
  expect([...origins].sort()).toEqual([served.url, tiles.origin].sort());
  expect(await map.locator('.attribution').textContent()).toBe(ATTRIBUTION);
  // The provider learns only the origin of the page's address, as some demand.
  expect([...tiles.referrers]).toEqual([`${served.url}/`]);
  expect(faults).toEqual([]);

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

function magentaShare(screenshot: Buffer): number {
  const { data, width, height, channels } = decode(screenshot);
  const colour = MAGENTA.slice(0, channels);
  let magenta = 0;
  for (let at = 0; at < data.length; at += channels) {
    if (colour.every((value, channel) => data[at + channel] === value)) magenta++;
  }
  return magenta / (width * height);
}
