import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';
import { problemBody } from '../../lambdas/api/specification/problem-schema.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import * as spec from './contract/spec-schemas.ts';

const service = inject('service');
const [v1, v2] = [new URL(service.v1_url), new URL(service.v2_url)];
const AUTHORIZATION = `Bearer ${service.other_tenant_api_key}`;
const ORDER = '{"jobs":[{"polygon":{"type":"Point"},"year":2024}]}';

interface Sent {
  readonly method?: string;
  /** Behind the base address, sent as it stands here: no client tidies it. */
  readonly path: string;
  /** Names and values in turn, so that a name may come twice. */
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

/** A refusal that a client understands, whatever it was that came. */
function refusedOf({ status, body }: Received): number {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(problemBody.parse(JSON.parse(body)).status).toBe(status);
  return status;
}

describe('a path that no client would make', () => {
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
  ])('is answered 404, as an address of nothing: %s', async (path) => {
    expect(refusedOf(await send({ path }))).toBe(404);
  });

  it('brings no header of its own into the answer', async () => {
    const answer = await send({ path: '/v1/batch/x%0d%0aX-Injected:%20yes/status' });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.headers['x-injected']).toBeUndefined();
  });
});

describe('a query that no client would make', () => {
  it.each([
    '?limit=%00',
    '?limit=1&limit=1',
    '?limit[]=1',
    '?__proto__=1',
    '?__proto__[status]=completed',
    '?cursor=',
    `?cursor=${'A'.repeat(6_000)}`,
    '?status=%F0%9F%8C%8D',
    '?a%2Fb~c=1',
    `?${'x=1&'.repeat(300)}`,
  ])('is answered 400: %s', async (query) => {
    expect(refusedOf(await send({ path: `/v1/batch${query}` }))).toBe(400);
  });
});

describe('headers that no client would send', () => {
  it('let nobody in with two keys, or with a key elsewhere', async () => {
    const twice = ['Authorization', AUTHORIZATION, 'Authorization', AUTHORIZATION];
    for (const headers of [
      twice,
      ['Authorization', `${AUTHORIZATION}, ${AUTHORIZATION}`],
      ['Authorization', `Basic ${Buffer.from('a:b').toString('base64')}`],
      ['Authorization', `Bearer ${'a'.repeat(6_000)}`],
      ['Authorization', 'Bearer soc_%00'],
      ['Authorization', '', 'X-Api-Key', service.other_tenant_api_key],
    ]) {
      expect((await send({ path: '/v1/usage', headers })).status).toBe(401);
    }
    const path = `/v1/usage?authorization=${service.other_tenant_api_key}`;
    expect((await send({ path, headers: ['Authorization', ''] })).status).toBe(401);
  });

  it('make no tenant of what a caller says of itself', async () => {
    const headers = ['X-Tenant', 'demo', 'Tenant', 'demo', 'X-Amzn-Principal', 'demo'];
    const [plain, pretending] = [
      await send({ path: '/v1/usage' }),
      await send({ path: '/v1/usage', headers }),
    ];
    expect(pretending.body).toBe(plain.body);
  });

  it('do not make one method of another', async () => {
    const headers = ['X-HTTP-Method-Override', 'GET', 'X-Method-Override', 'GET'];
    const path = '/v1/usage';
    expect(refusedOf(await send({ method: 'POST', path, headers, body: '' }))).toBe(405);
    expect((await send({ path, headers: ['X-HTTP-Method-Override', 'DELETE'] })).status).toBe(200);
  });

  it('do not make V2 of V1', async () => {
    const id = '01890000-0000-7000-8000-000000000000';
    const path = `/v1/batch/${id}/jobs/${id}/status`;
    for (const headers of [
      ['X-Forwarded-Host', v2.host],
      ['Forwarded', `host=${v2.host}`],
      ['X-Original-URL', `${v2.pathname}${path}`],
    ]) {
      const answer = await send({ path, headers }, v1);
      expect(refusedOf(answer)).toBe(404);
      expect(JSON.parse(answer.body).type).toBe(`${service.v1_url}/docs/problems/only-on-v2`);
    }
  });

  it('change no link of an answer', async () => {
    const headers = ['X-Forwarded-Host', 'evil.example', 'X-Forwarded-Proto', 'gopher'];
    const answer = await create(headers);
    expect(answer.status).toBe(202);
    expect(answer.headers['location']).toContain(`${service.v2_url}/v1/batch/`);
    expect(answer.body).not.toContain('evil.example');
  });

  it.each([
    ['twice, the same', ['Idempotency-Key', 'a', 'Idempotency-Key', 'a']],
    ['empty', ['Idempotency-Key', '']],
    ['of one quote', ['Idempotency-Key', '"a']],
    ['with a path in it', ['Idempotency-Key', '../a']],
    ['longer than any', ['Idempotency-Key', 'a'.repeat(5_000)]],
  ])('make no idempotency key: %s', async (_, headers) => {
    expect(refusedOf(await create(headers))).toBe(400);
  });

  it.each([
    [415, ['Content-Type', 'application/x-www-form-urlencoded']],
    [415, ['Content-Type', 'application/json; charset=utf-16']],
    [415, ['Content-Type', 'application/json', 'Content-Encoding', 'br']],
  ])('are answered %d: %j', async (status, headers) => {
    expect(refusedOf(await create(headers))).toBe(status);
  });
});

describe('a body that no client would send', () => {
  const job = '{"polygon":{"type":"Point"},"year":2024}';
  const GZIP = ['Content-Type', 'application/json', 'Content-Encoding', 'gzip'];

  it.each([
    ['a prototype for the envelope', `{"jobs":[${job}],"__proto__":{"webhook_url":"https://a.b"}}`],
    ['a prototype for a job', '{"jobs":[{"polygon":{},"year":2024,"__proto__":{"model":"x"}}]}'],
    ['jobs that a prototype brings', `{"__proto__":{"jobs":[${job}]}}`],
    ['jobs twice, the second spelt otherwise', `{"jobs":[${job}],"j\\u006fbs":[]}`],
    ['a name of half a character', `{"jobs":[{"polygon":{},"year":2024,"name":"\\ud800"}]}`],
    ['a year beyond whole numbers', '{"jobs":[{"polygon":{},"year":1e309}]}'],
    ['nesting without end', `{"jobs":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('is refused 422: %s', async (_, body) => {
    expect(refusedOf(await create([], body))).toBe(422);
  });

  it('brings nothing of a prototype into a polygon', async () => {
    const polygon = '{"__proto__":{"type":"Polygon","coordinates":[]}}';
    const answer = await create([], `{"jobs":[{"polygon":${polygon},"year":2024}]}`);
    expect(answer.status).toBe(202);
    const { batch_id } = spec.created.parse(JSON.parse(answer.body));
    const path = `/v1/batch/${batch_id}/status`;
    for (;;) {
      const status = spec.batch.parse(JSON.parse((await send({ path })).body));
      const [only] = status.jobs;
      if (only?.status === 'pending' || only?.status === 'processing') continue;
      expect(only?.error_message).toContain('without a "type"');
      return;
    }
  });

  it('counts as long as it is when it is unpacked', async () => {
    expect((await create(GZIP, gzipSync(ORDER))).status).toBe(202);
    const long = gzipSync(`${ORDER}${' '.repeat(LIMITS.bodyBytes)}`);
    expect(refusedOf(await create(GZIP, long))).toBe(413);
  });

  it('is refused when it is damaged gzip, or packed twice', async () => {
    const packed = gzipSync(ORDER);
    for (const body of [packed.subarray(0, 20), gzipSync(packed)]) {
      expect(refusedOf(await create(GZIP, body))).toBe(400);
    }
  });
});
