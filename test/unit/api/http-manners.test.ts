import { describe, expect, it } from 'vitest';
import { inMemoryService } from '../../support/api/service.ts';

const service = inMemoryService();
const ORIGIN = 'https://app.example.com';
const allowOrigins = (cors_origins: string) => ({ variables: { cors_origins } });
const makeOriginCall = (origin: string) => ({ headers: { Origin: origin } });

describe('a page of another origin', () => {
  it('may read responses only if the deployment allows its origin', async () => {
    const variables = allowOrigins(`https://other.example,${ORIGIN}`);
    const allowed = await service.health({
      path: '/health',
      ...variables,
      ...makeOriginCall(ORIGIN),
    });
    expect(allowed.headers['Access-Control-Allow-Origin']).toBe(ORIGIN);
    expect(allowed.headers['Access-Control-Expose-Headers']).toContain('Retry-After');
    expect(allowed.headers['Vary']).toBe('Origin');
    const foreign = await service.health({
      path: '/health',
      ...variables,
      ...makeOriginCall('https://app.example.com.evil.example'),
    });
    expect(foreign.headers['Access-Control-Allow-Origin']).toBeUndefined();
    expect(foreign.headers['Vary']).toBe('Origin');
  });

  it('may also read problems', async () => {
    const response = await service.fallback({
      path: '/x',
      ...allowOrigins(ORIGIN),
      ...makeOriginCall(ORIGIN),
    });
    expect(response.status).toBe(404);
    expect(response.headers['Access-Control-Allow-Origin']).toBe(ORIGIN);
  });

  it('may read nothing by default', async () => {
    const response = await service.health({ path: '/health', ...makeOriginCall(ORIGIN) });
    expect(Object.keys(response.headers).join()).not.toMatch(/Access-Control|Vary/);
  });

  it('may read responses, whatever its origin, if the deployment allows all', async () => {
    const response = await service.health({
      path: '/health',
      ...allowOrigins('any'),
      ...makeOriginCall(ORIGIN),
    });
    expect(response.headers['Access-Control-Allow-Origin']).toBe('*');
  });

  it('gets the allowed methods and headers from a preflight request', async () => {
    const preflight = { method: 'OPTIONS', path: '/v1/batch', tenant: null };
    const response = await service.fallback({
      ...preflight,
      ...allowOrigins(ORIGIN),
      ...makeOriginCall(ORIGIN),
    });
    expect(response.status).toBe(204);
    expect(response.headers['Access-Control-Allow-Methods']).toContain('POST');
    expect(response.headers['Access-Control-Allow-Headers']).toMatch(
      /Authorization.*Idempotency-Key/,
    );
    const foreign = await service.fallback({
      ...preflight,
      ...allowOrigins('https://other.example'),
    });
    expect(Object.keys(foreign.headers).join()).not.toContain('Access-Control');
  });
});

it.each(['text/html', 'image/*', 'application/json;q=0', '*/*;q=0', 'nonsense;q=x'])(
  'the Accept header is ignored, as RFC 9110, section 12.5.1 allows: %s',
  async (Accept) => {
    const response = await service.limits({ path: '/v1/limits', headers: { Accept } });
    expect(response.status).toBe(200);
    expect(response.headers['Content-Type']).toMatch(/^application\/json/);
  },
);

describe('a response', () => {
  it('has the security headers, whether it is JSON, HTML or a problem', async () => {
    const responses = [
      await service.health({ path: '/health' }),
      await service.docs({ path: '/docs' }),
      await service.fallback({ path: '/x' }),
    ];
    for (const { headers } of responses) {
      expect(headers).toMatchObject({
        'X-Content-Type-Options': 'nosniff',
        'Strict-Transport-Security': expect.stringMatching(/^max-age=\d{8,}$/),
        'Content-Security-Policy': expect.stringContaining("frame-ancestors 'none'"),
        'Referrer-Policy': 'no-referrer',
      });
    }
  });
});

describe('a page of the docs', () => {
  const pages = [
    ['/docs', {}, service.docs],
    ['/docs/problems/validation', { slug: 'validation' }, service.problemPage],
  ] as const;

  it.each(pages)('ignores unknown query parameters: %s', async (path, parameters, operation) => {
    const query = { utm_source: 'mail' };
    expect(await operation({ path, parameters, query })).toMatchObject({ status: 200 });
  });

  it.each(pages)('gets 304 while it is unchanged: %s', async (path, parameters, operation) => {
    const first = await operation({ path, parameters });
    expect(first.headers['Content-Type']).toMatch(/^text\/html/);
    const headers = { 'If-None-Match': String(first.headers['ETag']) };
    expect(await operation({ path, parameters, headers })).toMatchObject({
      status: 304,
      text: '',
    });
  });
});
