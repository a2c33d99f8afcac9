import { describe, expect, it } from 'vitest';
import { PROBLEM_TYPES, problemPath } from '../../../lambdas/api/http/problem-types.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { inMemoryService } from '../../support/api/service.ts';

const { fallback, problemPage } = inMemoryService();
const ID = '0198c0de-0000-7000-8000-000000000000';

describe('a path without an operation', () => {
  it.each(['/v1', '/v1/batches', '/v2/batch', '/v1/batch//status', '/docs/x'])(
    'gets 404: %s',
    async (path) => {
      const response = await fallback({ path, resource: '/{proxy+}', tenant: null });
      expect(response.status).toBe(404);
      expect(problemBody.parse(response.body)).toMatchObject({
        instance: path,
        detail: expect.stringMatching(/https:\/\/\S+\/docs lists/),
      });
    },
  );
});

describe('a method that a path does not allow', () => {
  it.each([
    ['PUT', '/v1/batch', 'GET, HEAD, POST, OPTIONS'],
    ['DELETE', '/v1/batch/', 'GET, HEAD, POST, OPTIONS'],
    ['GET', '/v1/batch/estimate', 'POST, OPTIONS'],
    ['POST', `/v1/batch/${ID}`, 'GET, HEAD, OPTIONS'],
    ['POST', `/v1/batch/${ID}/status`, 'GET, HEAD, OPTIONS'],
    ['PUT', `/v1/batch/${ID}/jobs/${ID}/status`, 'GET, HEAD, OPTIONS'],
    ['PATCH', `/v1/batch/${ID}/jobs/${ID}/patches/0/status`, 'GET, HEAD, OPTIONS'],
    ['POST', '/', 'GET, HEAD, OPTIONS'],
    ['POST', '/health', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/docs/problems/validation', 'GET, HEAD, OPTIONS'],
  ])('gets 405 with the allowed methods: %s %s', async (method, path, allow) => {
    const response = await fallback({ method, path, tenant: null });
    expect(response.status).toBe(405);
    expect(response.headers['Allow']).toBe(allow);
    expect(problemBody.parse(response.body).detail).toContain(allow);
  });

  it('is not in the Allow header of a response to OPTIONS', async () => {
    const response = await fallback({ method: 'OPTIONS', path: '/health', tenant: null });
    expect(response).toMatchObject({ status: 204, text: '' });
    expect(response.headers['Allow']).toBe('GET, HEAD, OPTIONS');
  });
});

describe('the type of a problem', () => {
  it.each(Object.entries(PROBLEM_TYPES))('is the URL of a page: %s', async (slug, type) => {
    const path = problemPath(slug as keyof typeof PROBLEM_TYPES);
    const page = await problemPage({ path, parameters: { slug }, tenant: null });
    expect(page.status).toBe(200);
    expect(page.headers['Content-Type']).toMatch(/^text\/html/);
    expect(page.text).toContain(type.title);
  });

  it('has no page if the problem is unknown', async () => {
    for (const slug of ['none', '__proto__', 'toString']) {
      const call = { path: `/docs/problems/${slug}`, parameters: { slug } };
      expect((await problemPage(call)).status).toBe(404);
    }
  });
});
