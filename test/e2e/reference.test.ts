import { describe, expect, inject, it } from 'vitest';
import { healthResponse } from '../../lambdas/api/endpoints/health.ts';
import { limitsResponse } from '../../lambdas/api/endpoints/limits.ts';
import { modelsResponse } from '../../lambdas/api/endpoints/models.ts';
import { openApiDocument } from '../../lambdas/api/specification/document.ts';
import type { OpenApiDocument } from '../../lambdas/api/specification/openapi.ts';
import { httpClient } from '../support/api/http-client.ts';

const service = inject('service');

describe.each([
  ['V1', service.v1_url],
  ['V2', service.v2_url],
] as const)('the reference that %s publishes', (_, baseUrl) => {
  const call = httpClient(baseUrl, service.api_key);

  it('is what the definitions say, with its base URL and version', async () => {
    const health = healthResponse.parse((await call('/health', { key: null })).json);
    const { text } = await call('/openapi.json', { key: null });
    expect(text).toBe(JSON.stringify(openApiDocument({ ...health, baseUrl })));
  });

  it('has an example that the deployment accepts', async () => {
    const { json } = await call('/openapi.json', { key: null });
    const { post } = (json as OpenApiDocument).paths['/v1/batch'] ?? {};
    const { example } = post?.requestBody?.content['application/json'] ?? {};
    // Nothing may be sent to the example's receiver.
    const { webhook_url, webhook_secret, ...body } = Object(example);
    const { status } = await call('/v1/batch', { body: JSON.stringify(body) });
    expect(status).toBe(202);
  });

  it('has pages, also for problems', async () => {
    for (const path of ['/docs', '/docs/problems/validation']) {
      const page = await call(path, { key: null });
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    }
  });

  it('has a QGIS style of each model, by either of its names', async () => {
    const { models } = modelsResponse.parse((await call('/v1/models')).json);
    for (const name of models.flatMap(({ id, model }) => [id, model, encodeURIComponent(model)])) {
      const style = await call(`/v1/models/${name}/style.qml`);
      expect(style.status).toBe(200);
      expect(style.headers.get('content-type')).toBe('application/x-qgis-layer-settings');
      expect(style.text).toContain('type="singlebandpseudocolor"');
    }
  });

  it('has limits and models, with a key, and 304 while they are unchanged', async () => {
    const schemas = { '/v1/limits': limitsResponse, '/v1/models': modelsResponse };
    for (const [path, schema] of Object.entries(schemas)) {
      const response = await call(path);
      schema.parse(response.json);
      const headers = { 'If-None-Match': String(response.headers.get('etag')) };
      expect((await call(path, { headers })).status).toBe(304);
      expect((await call(path, { key: null })).status).toBe(401);
    }
  });
});
