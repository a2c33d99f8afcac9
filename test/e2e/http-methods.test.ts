import { describe, expect, inject, it } from 'vitest';
import { httpClient } from '../support/api/http-client.ts';

const service = inject('service');

describe.each([
  ['v1', service.v1_url],
  ['v2', service.v2_url],
])('methods other than GET and POST on %s', (_, baseUrl) => {
  const call = httpClient(baseUrl, service.api_key);

  it('respond to HEAD as to GET, without a body', async () => {
    const health = await call('/health', { method: 'HEAD', key: null });
    expect(health).toMatchObject({ status: 200, text: '' });
    expect(health.headers.get('content-type')).toMatch(/^application\/json/);
    const unknown = '/v1/batch/01890000-0000-7000-8000-000000000000/status';
    expect(await call(unknown, { method: 'HEAD' })).toMatchObject({ status: 404, text: '' });
    expect((await call(unknown, { method: 'HEAD', key: null })).status).toBe(401);
  });

  it.each([
    ['PUT', '/v1/batch', 'GET, HEAD, POST, OPTIONS'],
    ['GET', '/v1/batch/estimate', 'POST, OPTIONS'],
    ['DELETE', '/v1/batch/x/status', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/health', 'GET, HEAD, OPTIONS'],
  ])('respond to %s on %s with 405 and Allow', async (method, path, allow) => {
    const response = await call(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
  });

  it('respond with JSON whatever Accept says', async () => {
    const { status, headers } = await call('/v1/limits', { headers: { accept: 'text/csv' } });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  });

  it.each([
    ['a response', '/v1/limits', {}, 200],
    ['a page', '/docs', { key: null }, 200],
    ['a problem', '/v1/nothing', {}, 404],
    ['an error of the gateway', '/v1/limits', { key: null }, 401],
  ])('have security headers on %s', async (_, path, options, expected) => {
    const { status, headers } = await call(path, options);
    expect(status).toBe(expected);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8,}$/);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toMatch(/^default-src.*frame-ancestors/);
  });

  it.each([
    ['/v1/batch', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/batch/estimate', 'POST, OPTIONS'],
    ['/health', 'GET, HEAD, OPTIONS'],
    ['/v1/batch/x/status', 'GET, HEAD, OPTIONS'],
  ])('respond to OPTIONS on %s with %s, without a key', async (path, allow) => {
    const response = await call(path, { method: 'OPTIONS', key: null });
    expect(response).toMatchObject({ status: 204, text: '' });
    expect(response.headers.get('allow')).toBe(allow);
  });
});
