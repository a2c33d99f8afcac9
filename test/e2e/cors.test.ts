import { describe, expect, inject, it } from 'vitest';
import { stageConfig } from '../../lib/config/each-stage.ts';
import { httpClient } from '../support/api/http-client.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);
const [allowed = ''] = stageConfig('local').corsOrigins;
const FORBIDDEN = `${allowed}.evil.example`;
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
const corsOf = (headers: Headers) => [...headers.keys()].filter((name) => /^access-con/.test(name));

describe('a page of an allowed origin', () => {
  it('is allowed by a preflight to send its key and a batch', async () => {
    const { status, headers } = await preflight(allowed);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(allowed);
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST');
    const sent = String(headers.get('access-control-allow-headers')).toLowerCase();
    for (const name of ['authorization', 'content-type', 'idempotency-key']) {
      expect(sent).toContain(name);
    }
    expect(headers.get('vary')).toMatch(/origin/i);
  });

  it.each([
    ['a response', '/v1/usage', 200],
    ['a problem', '/v1/batch/01890000-0000-7000-8000-000000000000/status', 404],
  ])('may read %s', async (_, path, expected) => {
    const { status, headers } = await call(path, { headers: { origin: allowed } });
    expect(status).toBe(expected);
    expect(headers.get('access-control-allow-origin')).toBe(allowed);
    expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toMatch(/origin/i);
  });

  it('may read the gateway’s own error responses', async () => {
    const { status, headers } = await call('/v1/usage', {
      key: null,
      headers: { origin: allowed },
    });
    expect(status).toBe(401);
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('a page of another origin', () => {
  it('gets no CORS headers, so it can’t read any response', async () => {
    for (const response of [
      await preflight(FORBIDDEN),
      await call('/v1/usage', { headers: { origin: FORBIDDEN } }),
      await call('/v1/usage', { headers: { origin: 'null' } }),
      await call('/v1/usage'),
    ]) {
      expect(corsOf(response.headers)).toEqual([]);
      expect(response.headers.get('vary')).toMatch(/origin/i);
    }
  });
});
