import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { resultDefinition } from '../../../lambdas/api/operations/result.ts';
import { openBrowser } from '../../support/browser.ts';
import { receiveHttp } from '../../support/delivery/local-receiver.ts';

// S3 rejects a signed URL that comes with `Authorization` (400, "Only one auth mechanism allowed"). The
// emulator does not, so these tests record what clients send to the host of the redirect.

const PYTHON = '.local/venv/bin/python';
const KEY = 'Bearer a-key';
const run = promisify(execFile);

const sent: (string | undefined)[] = [];
const bucket = await receiveHttp((request, response) => {
  // A browser may send a preflight request, which the response allows.
  if (request.method !== 'OPTIONS') sent.push(request.headers.authorization);
  response.setHeaders(
    new Headers({
      'content-type': 'image/tiff',
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization',
    }),
  );
  response.end('II*\0');
});
const api = await receiveHttp((request, response) => {
  if (request.url === '/page') {
    response.setHeader('content-type', 'text/html').end();
    return;
  }
  const isKnown = request.headers.authorization === KEY;
  const location = `http://localhost:${bucket.port}/map.tif?X-Amz-Signature=0`;
  response.writeHead(isKnown ? 302 : 401, isKnown ? { location } : {}).end();
});
const link = `${api.origin}/result`;

async function fetchInBrowser() {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${api.origin}/page`);
    const headers = JSON.stringify({ authorization: KEY });
    await page.evaluate(`fetch('/result', { headers: ${headers} })`);
  } finally {
    await browser.close();
  }
}

beforeEach(() => {
  sent.length = 0;
});
afterAll(() => Promise.all([api, bucket].map((server) => server[Symbol.asyncDispose]())));

const header = `Authorization: ${KEY}`;
const python = (lines: readonly string[], environment = {}) =>
  run(
    PYTHON,
    ['-c', `url, key = ${JSON.stringify(link)}, ${JSON.stringify(KEY)}\n${lines.join('\n')}`],
    {
      env: { PATH: process.env['PATH'] ?? '', ...environment },
    },
  );
const hasWget = await run('wget', ['--version']).then(
  () => true,
  () => false,
);

describe('the key does not reach the host of a redirect,', () => {
  it.each([
    ['fetch of Node', () => fetch(link, { headers: { authorization: KEY } })],
    ['fetch of a browser', fetchInBrowser],
    ['curl -L', () => run('curl', ['-sfL', '-H', header, link])],
    [
      'requests',
      () => python(['import requests', 'requests.get(url, headers={"Authorization": key})']),
    ],
    [
      'httpx',
      () =>
        python([
          'import httpx',
          'httpx.get(url, headers={"Authorization": key}, follow_redirects=True)',
        ]),
    ],
    [
      'urllib with an unredirected header',
      () =>
        python([
          'from urllib.request import Request, urlopen',
          'request = Request(url)',
          'request.add_unredirected_header("Authorization", key)',
          'urlopen(request)',
        ]),
    ],
    [
      'GDAL with GDAL_HTTP_HEADERS',
      () =>
        python(
          [
            'import rasterio',
            'try:',
            '  rasterio.open("/vsicurl/" + url)',
            'except rasterio.RasterioIOError: pass',
          ],
          { GDAL_HTTP_HEADERS: header },
        ),
    ],
  ])('from %s', async (_, request) => {
    await request();
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter((key) => key !== undefined)).toEqual([]);
  });
});

describe('the reference warns of clients that send the key to the host of a redirect:', () => {
  it.skipIf(!hasWget)('wget (skipped if it is not installed)', async () => {
    await run('wget', ['-qO-', '--header', header, link]);
    expect(sent).toEqual([KEY]);
    expect(resultDefinition.description).toMatch(/wget/);
  });

  it('urllib', async () => {
    await python([
      'from urllib.request import Request, urlopen',
      'urlopen(Request(url, headers={"Authorization": key}))',
    ]);
    expect(sent).toEqual([KEY]);
    expect(resultDefinition.description).toMatch(/urllib/);
  });
});
