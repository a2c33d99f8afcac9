import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalReceiver, receiveHttp } from '../support/delivery/local-receiver.ts';
import { type EmptyPages, openEmptyPages } from '../support/empty-pages.ts';

// CORS tests prove nothing in a browser that ignores CORS.

const ALLOWED = 'http://allowed.example:5173';
const FORBIDDEN = 'http://forbidden.example:5173';

let pages: EmptyPages;
let other: LocalReceiver;
beforeAll(async () => {
  pages = await openEmptyPages([ALLOWED, FORBIDDEN]);
  other = await receiveHttp((_, response) =>
    response.setHeader('access-control-allow-origin', ALLOWED).end('text of another origin'),
  );
});
afterAll(async () => {
  await pages.close();
  await other[Symbol.asyncDispose]();
});

it.each([
  ['reads responses that allow its origin', ALLOWED, 'text of another origin'],
  ['does not read responses that do not allow its origin', FORBIDDEN, 'TypeError: Failed to fetch'],
])('a page %s', async (_, origin, expected) => {
  const page = await pages.browser.newPage();
  await page.goto(origin);
  const read = `fetch('${other.origin}').then((response) => response.text()).catch(String)`;
  expect(await page.evaluate(read)).toBe(expected);
  await page.close();
});
