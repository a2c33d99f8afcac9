import { describe, expect, inject, it } from 'vitest';
import { healthResponse } from '../../lambdas/api/operations/health.ts';
import { limitsResponse } from '../../lambdas/api/operations/limits.ts';
import { modelsResponse } from '../../lambdas/api/operations/models.ts';
import { openApiDocument } from '../../lambdas/api/specification/document.ts';
import { problemBody } from '../../lambdas/api/specification/documented-problems.ts';
import type { OpenApiDocument } from '../../lambdas/api/specification/openapi.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { httpClient, type RequestOptions } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);

const UNKNOWN = '/v1/batch/01890000-0000-7000-8000-000000000000/status';
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': expect.stringMatching(/^max-age=\d{8,}$/),
  'referrer-policy': 'no-referrer',
  'content-security-policy': expect.stringMatching(/^default-src.*frame-ancestors/),
};

interface Rejected {
  readonly what: string;
  readonly path: string;
  readonly options?: RequestOptions;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const TOO_LARGE = `{"jobs":[],"metadata":{"x":"${'x'.repeat(LIMITS.bodyBytes)}"}}`;

const REJECTED: readonly Rejected[] = [
  {
    what: 'a body that is too large',
    path: '/v1/batch',
    options: { body: TOO_LARGE },
    status: 413,
  },
  { what: 'an unknown batch', path: UNKNOWN, status: 404 },
  { what: 'an unknown path', path: '/v1/nothing', status: 404 },
  { what: 'an unknown path at the root', path: '/nothing', options: { key: null }, status: 404 },
  {
    what: 'a method that the path does not allow',
    path: '/v1/batch',
    options: { method: 'PUT' },
    status: 405,
    headers: { allow: 'GET, HEAD, POST, OPTIONS' },
  },
  {
    what: 'a wrong key',
    path: UNKNOWN,
    options: { key: 'soc_wrong' },
    status: 401,
    headers: { 'www-authenticate': 'Bearer' },
  },
  {
    what: 'a missing key',
    path: UNKNOWN,
    options: { key: null },
    status: 401,
    headers: { 'www-authenticate': 'Bearer' },
  },
];

describe('a rejected request', () => {
  it.each(REJECTED)('gets a problem with $status for $what', async (row) => {
    const { path, options, status, headers } = row;
    const response = await call(path, options);
    expect(response.status).toBe(status);
    expect(spec.problem.parse(response.json).status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...SECURITY_HEADERS,
      'content-type': expect.stringContaining('application/problem+json'),
      ...headers,
    });
  });
});

describe('a HEAD request', () => {
  it('gets the response to GET without its body', async () => {
    const health = await call('/health', { method: 'HEAD', key: null });
    expect(health).toMatchObject({ status: 200, text: '' });
    expect(health.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await call(UNKNOWN, { method: 'HEAD' })).toMatchObject({ status: 404, text: '' });
    expect((await call(UNKNOWN, { method: 'HEAD', key: null })).status).toBe(401);
  });
});

describe('a page in a browser', () => {
  const [allowed = ''] = readStageConfig('local').corsOrigins;
  const preflight = (origin: string) =>
    call('/v1/batch', {
      method: 'OPTIONS',
      key: null,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type, idempotency-key',
      },
    });

  it('may send a key and a batch, and read responses, even the gateway’s own, if its origin is allowed', async () => {
    const { status, headers } = await preflight(allowed);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(allowed);
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST');
    const sent = String(headers.get('access-control-allow-headers')).toLowerCase().split(/,\s*/);
    expect(sent).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'idempotency-key']),
    );
    const options = { headers: { origin: allowed } };
    const response = await call('/v1/usage', options);
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(allowed);
    expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    const ofGateway = await call('/v1/usage', { ...options, key: null });
    expect(ofGateway.status).toBe(401);
    expect(ofGateway.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('gets no CORS headers if its origin is not allowed', async () => {
    const foreign = `${allowed}.evil.example`;
    for (const { headers } of [
      await preflight(foreign),
      await call('/v1/usage', { headers: { origin: foreign } }),
      await call('/v1/usage', { headers: { origin: 'null' } }),
      await call('/v1/usage'),
    ]) {
      expect([...headers.keys()].filter((name) => /^access-con/.test(name))).toEqual([]);
      expect(headers.get('vary')).toMatch(/origin/i);
    }
  });
});

describe.each([
  ['V1', service.v1_url],
  ['V2', service.v2_url],
] as const)('the published reference of %s', (_, baseUrl) => {
  const ask = httpClient(baseUrl, service.api_key);

  it('matches the definitions, with its base URL and version', async () => {
    const health = healthResponse.parse((await ask('/health', { key: null })).json);
    const { text } = await ask('/openapi.json', { key: null });
    expect(text).toBe(JSON.stringify(openApiDocument({ ...health, baseUrl })));
  });

  it("has a page at the URL in a problem's type", async () => {
    const { json, headers } = await ask(UNKNOWN);
    const { type, request_id } = problemBody.parse(json);
    expect(type).toBe(`${baseUrl}/docs/problems/batch-not-found`);
    expect(headers.get('x-request-id')).toBe(request_id);
    for (const page of [type, `${baseUrl}/docs`]) {
      const response = await fetch(page);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        ...SECURITY_HEADERS,
        'content-type': expect.stringMatching(/^text\/html/),
      });
    }
  });
});

describe('the deployment', () => {
  it('publishes an example that it accepts', async () => {
    const { json } = await call('/openapi.json', { key: null });
    const { post } = (json as OpenApiDocument).paths['/v1/batch'] ?? {};
    const { example } = post?.requestBody?.content['application/json'] ?? {};
    // The test must not send anything to the example's receiver.
    const { webhook_url, webhook_secret, ...body } = Object(example);
    const created = await call('/v1/batch', { body: JSON.stringify(body) });
    expect(created.status).toBe(202);
    expect(created.headers.get('cache-control')).toBe('no-store');
    expect(Number(created.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it("publishes each model's QGIS style under both names of the model", async () => {
    const { models } = modelsResponse.parse((await call('/v1/models')).json);
    for (const name of models.flatMap(({ id, model }) => [id, model, encodeURIComponent(model)])) {
      const style = await call(`/v1/models/${name}/style.qml`);
      expect(style.status).toBe(200);
      expect(style.headers.get('content-type')).toBe('application/x-qgis-layer-settings');
      expect(style.text).toContain('type="singlebandpseudocolor"');
    }
  });

  it('publishes limits and models to key holders, with 304 while they are unchanged', async () => {
    const schemas = { '/v1/limits': limitsResponse, '/v1/models': modelsResponse };
    for (const [path, schema] of Object.entries(schemas)) {
      const response = await call(path);
      schema.parse(response.json);
      expect(Object.fromEntries(response.headers)).toMatchObject(SECURITY_HEADERS);
      const etag = String(response.headers.get('etag'));
      const headers = { 'If-None-Match': `"other", W/${etag}` };
      const unchanged = await call(path, { headers });
      expect(unchanged).toMatchObject({ status: 304, text: '' });
      expect(unchanged.headers.get('etag')).toBe(etag);
      expect((await call(path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
    }
  });
});
