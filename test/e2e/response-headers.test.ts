import { describe, expect, inject, it } from 'vitest';
import { batchStatusResponse } from '../../lambdas/api/endpoints/batch-status.ts';
import { PROBLEM_TYPES } from '../../lambdas/api/http/problem-types.ts';
import { problemBody } from '../../lambdas/api/specification/documented-problems.ts';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { SEVERAL_PATCH_BATCHES } from '../support/deployed/jobs.ts';

const service = inject('service');
const order = JSON.stringify({ jobs: Array(3).fill(SEVERAL_PATCH_BATCHES) });

describe.each([
  ['V1', service.v1_url],
  ['V2', service.v2_url],
])('the responses of %s, as the gateway sends them', (_, baseUrl) => {
  const call = httpClient(baseUrl, service.api_key);

  it('give an unfinished batch a Location, Retry-After and no-store', async () => {
    const created = await call('/v1/batch', { body: order });
    const { batch_id } = spec.created.parse(created.json);
    const path = `/v1/batch/${batch_id}/status`;
    expect(created.headers.get('location')).toBe(`${baseUrl}${path}`);
    expect(created.headers.get('cache-control')).toBe('no-store');
    expect(Number(created.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(created.headers.get('x-request-id')).toMatch(/^[\w-]{8,}$/);

    const all = await call(path);
    expect(all.headers.get('cache-control')).toBe('no-store');
    expect(all.headers.get('etag')).toBeNull();
    const { completed_at } = batchStatusResponse.parse(all.json);
    if (completed_at === null) expect(Number(all.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('give a final batch an ETag, and 304 while it is unchanged', async () => {
    const created = await call('/v1/batch', {
      body: JSON.stringify({ jobs: [{ polygon: { type: 'Point' }, year: 2024 }] }),
    });
    const { batch_id } = spec.created.parse(created.json);
    const poll = `/v1/batch/${batch_id}/status?jobs=none`;
    const response = await eventually(
      () => call(poll),
      ({ json }) => batchStatusResponse.parse(json).completed_at !== null,
    );
    expect(response.headers.get('retry-after')).toBeNull();
    const etag = String(response.headers.get('etag'));
    const again = await call(poll, { headers: { 'if-none-match': `"other", W/${etag}` } });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers.get('etag')).toBe(etag);
    const changed = await call(poll, { headers: { 'if-none-match': '"other"' } });
    expect(changed).toMatchObject({ status: 200, text: response.text });
  });

  it('give a problem a type whose URL is its documentation page', async () => {
    const problem = await call('/v1/batch/x/status');
    const { type, request_id } = problemBody.parse(problem.json);
    expect(problem.headers.get('x-request-id')).toBe(request_id);
    const page = await fetch(type);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(PROBLEM_TYPES['batch-not-found'].title);
  });
});
