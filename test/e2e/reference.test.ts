import { describe, expect, inject, it } from 'vitest';
import { limitsResponse } from '../../lambdas/api/operations/tenant/limits.ts';
import { modelsResponse } from '../../lambdas/api/operations/tenant/models-response.ts';
import type { OpenApiDocument } from '../../lambdas/api/specification/openapi.ts';
import { httpClient } from './contract/http-client.ts';

const service = inject('service');

describe.each([
  ['V1', service.v1_url],
  ['V2', service.v2_url],
] as const)('what %s tells of itself', (name, baseUrl) => {
  const call = httpClient(baseUrl, service.api_key);

  it('is its own document, at its own address', async () => {
    const { json } = await call('/openapi.json', { key: null });
    const document = json as OpenApiDocument;
    expect(document.servers).toEqual([{ url: baseUrl, description: name }]);
    expect(Object.keys(document.paths).some((path) => path.includes('{job_id}'))).toBe(
      name === 'V2',
    );
  });

  it('accepts the example of its document', async () => {
    const { json } = await call('/openapi.json', { key: null });
    const { post } = (json as OpenApiDocument).paths['/v1/batch'] ?? {};
    const { example } = post?.requestBody?.content['application/json'] ?? {};
    // The example's receiver is not ours to call.
    const { webhook_url, webhook_secret, ...body } = Object(example);
    const { status } = await call('/v1/batch', { body: JSON.stringify(body) });
    expect(status).toBe(202);
  });

  it('is a page, and one for each problem', async () => {
    for (const path of ['/docs', '/docs/problems/validation']) {
      const page = await call(path, { key: null });
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    }
  });

  it('is its limits and models, with a key, once for as long as they hold', async () => {
    const schemas = { '/v1/limits': limitsResponse, '/v1/models': modelsResponse };
    for (const [path, schema] of Object.entries(schemas)) {
      const answer = await call(path);
      schema.parse(answer.json);
      const headers = { 'If-None-Match': String(answer.headers.get('etag')) };
      expect((await call(path, { headers })).status).toBe(304);
      expect((await call(path, { key: null })).status).toBe(401);
    }
  });
});
