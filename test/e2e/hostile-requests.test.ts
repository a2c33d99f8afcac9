import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';
import { problemBody } from '../../lambdas/api/specification/documented-problems.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { newTenant } from '../support/deployed/new-tenant.ts';

const service = inject('service');
const [v1, v2] = [new URL(service.v1_url), new URL(service.v2_url)];
const KEY = await newTenant('hostile');
const AUTHORIZATION = `Bearer ${KEY}`;
const ORDER = '{"jobs":[{"polygon":{"type":"Point"},"year":2024}]}';

interface Sent {
  readonly method?: string;
  /** The path after the base URL, sent without normalization. */
  readonly path: string;
  /** Names and values alternate, so that a name can occur twice. */
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function send({ method = 'GET', path, headers = [], body }: Sent, base = v2): Promise<Received> {
  const named = headers.map((name) => name.toLowerCase());
  const all = [
    ...['Host', base.host],
    ...(named.includes('authorization') ? [] : ['Authorization', AUTHORIZATION]),
    ...(body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))]),
    ...headers,
  ];
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname } = base;
    const sending = request(
      { hostname, port, method, path: `${pathname}${path}`, headers: all },
      async (response) =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: await text(response),
        }),
    );
    sending.on('error', reject);
    sending.end(body);
  });
}

const create = (headers: readonly string[], body: string | Uint8Array = ORDER) =>
  send({ method: 'POST', path: '/v1/batch', headers, body });

function readRejection({ status, body }: Received): number {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(problemBody.parse(JSON.parse(body)).status).toBe(status);
  return status;
}

describe('a path that no client would request', () => {
  it.each([
    '/v1/batch/../usage',
    '/v1/batch/%2e%2e/status',
    '/v1/batch/%00/status',
    '/v1/batch/%ff%fe/status',
    '/v1/batch/%F0%9F%8C%8D/status',
    '/v1/batch/__proto__/status',
    `/v1/batch/${'a'.repeat(4_000)}/status`,
    '/docs/problems/%2e%2e%2fvalidation',
    '/docs/problems/constructor',
  ])('gets 404: %s', async (path) => {
    expect(readRejection(await send({ path }))).toBe(404);
  });

  it('cannot inject a header into the response', async () => {
    const response = await send({ path: '/v1/batch/x%0d%0aX-Injected:%20yes/status' });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect(response.headers['x-injected']).toBeUndefined();
  });
});

describe('a query that no client would send', () => {
  it.each([
    '?limit=%00',
    '?limit=1&limit=1',
    '?limit[]=1',
    '?__proto__=1',
    '?__proto__[status]=completed',
    `?cursor=${'A'.repeat(6_000)}`,
    '?status=%F0%9F%8C%8D',
    '?a%2Fb~c=1',
    `?${'x=1&'.repeat(300)}`,
  ])('gets 400: %s', async (query) => {
    expect(readRejection(await send({ path: `/v1/batch${query}` }))).toBe(400);
  });
});

describe('headers that no client would send', () => {
  it('do not authenticate with two keys, or with a key in the wrong place', async () => {
    const twice = ['Authorization', AUTHORIZATION, 'Authorization', AUTHORIZATION];
    for (const headers of [
      twice,
      ['Authorization', `${AUTHORIZATION}, ${AUTHORIZATION}`],
      ['Authorization', `Basic ${Buffer.from('a:b').toString('base64')}`],
      ['Authorization', `Bearer ${'a'.repeat(6_000)}`],
      ['Authorization', 'Bearer soc_%00'],
      ['Authorization', '', 'X-Api-Key', KEY],
    ]) {
      expect((await send({ path: '/v1/usage', headers })).status).toBe(401);
    }
    const path = `/v1/usage?authorization=${KEY}`;
    expect((await send({ path, headers: ['Authorization', ''] })).status).toBe(401);
  });

  it('cannot choose the tenant', async () => {
    const headers = ['X-Tenant', 'demo', 'Tenant', 'demo', 'X-Amzn-Principal', 'demo'];
    const [plain, spoofed] = [
      await send({ path: '/v1/usage' }),
      await send({ path: '/v1/usage', headers }),
    ];
    expect(spoofed.body).toBe(plain.body);
  });

  it('cannot override the method', async () => {
    const headers = ['X-HTTP-Method-Override', 'GET', 'X-Method-Override', 'GET'];
    const path = '/v1/usage';
    expect(readRejection(await send({ method: 'POST', path, headers, body: '' }))).toBe(405);
    expect((await send({ path, headers: ['X-HTTP-Method-Override', 'DELETE'] })).status).toBe(200);
  });

  it('cannot turn V1 into V2', async () => {
    const id = '01890000-0000-7000-8000-000000000000';
    const path = `/v1/batch/${id}/jobs/${id}/status`;
    for (const headers of [
      ['X-Forwarded-Host', v2.host],
      ['Forwarded', `host=${v2.host}`],
      ['X-Original-URL', `${v2.pathname}${path}`],
    ]) {
      const response = await send({ path, headers }, v1);
      expect(readRejection(response)).toBe(404);
      expect(JSON.parse(response.body).type).toBe(`${service.v1_url}/docs/problems/only-on-v2`);
    }
  });

  it('cannot change a link in the response', async () => {
    const headers = ['X-Forwarded-Host', 'evil.example', 'X-Forwarded-Proto', 'gopher'];
    const response = await create(headers);
    expect(response.status).toBe(202);
    expect(response.headers['location']).toContain(`${service.v2_url}/v1/batch/`);
    expect(response.body).not.toContain('evil.example');
  });

  it.each([
    ['sent twice', ['Idempotency-Key', 'a', 'Idempotency-Key', 'a']],
    ['empty', ['Idempotency-Key', '']],
    ['half quoted', ['Idempotency-Key', '"a']],
    ['a path', ['Idempotency-Key', '../a']],
    ['too long', ['Idempotency-Key', 'a'.repeat(5_000)]],
  ])('are rejected if the idempotency key is %s', async (_, headers) => {
    expect(readRejection(await create(headers))).toBe(400);
  });

  it.each([
    [415, ['Content-Type', 'application/x-www-form-urlencoded']],
    [415, ['Content-Type', 'application/json; charset=utf-16']],
    [415, ['Content-Type', 'application/json', 'Content-Encoding', 'br']],
  ])('get %d: %j', async (status, headers) => {
    expect(readRejection(await create(headers))).toBe(status);
  });
});

describe('a body that no client would send', () => {
  const GZIP = ['Content-Type', 'application/json', 'Content-Encoding', 'gzip'];

  it('is limited by its decompressed size', async () => {
    expect((await create(GZIP, gzipSync(ORDER))).status).toBe(202);
    const long = gzipSync(`${ORDER}${' '.repeat(LIMITS.bodyBytes)}`);
    expect(readRejection(await create(GZIP, long))).toBe(413);
  });

  it('is rejected if it is damaged gzip, or compressed twice', async () => {
    const compressed = gzipSync(ORDER);
    for (const body of [compressed.subarray(0, 20), gzipSync(compressed)]) {
      expect(readRejection(await create(GZIP, body))).toBe(400);
    }
  });
});
