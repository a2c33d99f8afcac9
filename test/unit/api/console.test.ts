import { describe, expect, it } from 'vitest';
import {
  type Background,
  consoleAssetOperation,
  consolePageOperation,
} from '../../../lambdas/api/operations/console.ts';
import { routeNamed } from '../../../lambdas/api/routes.ts';
import { handle } from '../../../local/dev/handle.ts';
import { gatewayEvent } from '../../support/api/gateway-event.ts';

const FILES = new Map([
  ['app-A1.js', 'script'],
  ['app-B2.css', 'style'],
  ['licences-D4.txt', 'licences'],
  ['notes.md', 'not for browsers'],
]);

const ports = (...backgrounds: readonly Background[]) => ({
  files: {
    entry: async () => ({
      script: 'app-A1.js',
      style: 'app-B2.css',
      reader: 'reader-C3.js',
      licences: 'licences-D4.txt',
    }),
    read: async (name: string) => FILES.get(name),
  },
  resultsOrigin: 'https://results.s3.eu-west-1.amazonaws.com',
  backgrounds,
  isOriginShared: false,
});

const page = (path: string, ...backgrounds: readonly Background[]) =>
  requestConsole({ path }, ...backgrounds);

const requestConsole = (
  call: Parameters<typeof gatewayEvent>[0],
  ...backgrounds: readonly Background[]
) =>
  handle(
    routeNamed('console'),
    () => consolePageOperation(ports(...backgrounds)),
    () => {},
  )(gatewayEvent({ ...call, tenant: null }));

const requestAsset = (name: string) => {
  const call = { path: `/console/${name}`, parameters: { asset: name }, tenant: null };
  return handle(
    routeNamed('console-asset'),
    () => consoleAssetOperation(ports()),
    () => {},
  )(gatewayEvent(call));
};

describe('GET /console', () => {
  it.each([
    ['/console', './console/app-A1.js'],
    ['/console/', './app-A1.js'],
  ])('names its files relative to %s, because a base URL may have a path', async (path, script) => {
    expect((await page(path)).body).toContain(`src="${script}"`);
  });

  it('ignores the query parameters that mail and chat apps add to links', async () => {
    const { statusCode } = await requestConsole({
      path: '/console',
      query: { utm_source: 'mail' },
    });
    expect(statusCode).toBe(200);
  });

  it('allows its own scripts, styles and connections, and the results bucket', async () => {
    const { headers } = await page('/console');
    expect(headers).toMatchObject({
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': [
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "connect-src 'self' https://results.s3.eu-west-1.amazonaws.com",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
  });

  it('allows images from the hosts of the configured backgrounds, each once, and names the backgrounds', async () => {
    const background = (name: string, host: string) => ({
      name,
      url: `https://${host}/${name}/{z}/{x}/{y}.png?a=1&b=2`,
      attribution: '© <b>Tiles</b>',
      maxZoom: 19,
    });
    const backgrounds = [
      background('roads', 'tiles.example'),
      background('relief', 'tiles.example'),
      background('air', 'air.example:8443'),
    ];
    const { headers, body } = await page('/console', ...backgrounds);
    expect(headers?.['Content-Security-Policy']).toContain(
      "img-src 'self' data: blob: https://tiles.example https://air.example:8443;",
    );
    const [, content = ''] = /name="backgrounds" content="([^"]*)"/.exec(`${body}`) ?? [];
    const text = content.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
    expect(JSON.parse(text.replaceAll('&amp;', '&'))).toEqual(backgrounds);
  });
});

describe('GET /console/{asset}', () => {
  it('lets browsers keep a file for a year', async () => {
    const { statusCode, headers, body } = await requestAsset('app-A1.js');
    expect([statusCode, body]).toEqual([200, 'script']);
    expect(headers).toMatchObject({
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
    });
  });

  it('serves the licences as plain text', async () => {
    const { statusCode, headers, body } = await requestAsset('licences-D4.txt');
    expect([statusCode, body]).toEqual([200, 'licences']);
    expect(headers?.['Content-Type']).toBe('text/plain; charset=utf-8');
  });

  it.each(['app-A2.js', '../index.mjs', 'notes.md', ''])('responds 404 for %s', async (name) => {
    expect((await requestAsset(name)).statusCode).toBe(404);
  });
});
