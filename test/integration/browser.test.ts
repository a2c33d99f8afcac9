import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser } from '../browser.ts';
import { httpReceiving, type LocalReceiver } from './delivery/local-receiver.ts';

// Tests of CORS prove nothing in a browser that ignores it.

const ALLOWED = 'http://allowed.example:5173';
const FORBIDDEN = 'http://forbidden.example:5173';

let pages: LocalReceiver;
let other: LocalReceiver;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  pages = await httpReceiving((_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>'),
  );
  other = await httpReceiving((_, response) =>
    response.setHeader('access-control-allow-origin', ALLOWED).end('text of another origin'),
  );
  const address = `127.0.0.1:${pages.port}`;
  const hosts = [ALLOWED, FORBIDDEN].map((origin) => new URL(origin).host);
  browser = await openBrowser({
    addresses: Object.fromEntries(hosts.map((host) => [host, address])),
  });
});
afterAll(async () => {
  await browser.close();
  await Promise.all([pages, other].map((server) => server[Symbol.asyncDispose]()));
});

it.each([
  ['reads what its origin may read', ALLOWED, 'text of another origin'],
  ['does not read what its origin may not read', FORBIDDEN, 'TypeError: Failed to fetch'],
])('a page %s', async (_, origin, expected) => {
  const page = await browser.newPage();
  await page.goto(origin);
  const read = `fetch('${other.origin}').then((response) => response.text()).catch(String)`;
  expect(await page.evaluate(read)).toBe(expected);
  await page.close();
});
