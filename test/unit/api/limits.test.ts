import { describe, expect, it } from 'vitest';
import { limitsResponse } from '../../../lambdas/api/operations/limits.ts';
import { LIMITS, verticesThatFit } from '../../../lambdas/domain/limits.ts';
import { A_TENANT, inMemoryService } from '../../support/api/service.ts';

const { limits, tenants } = inMemoryService();

/** A position with 6 decimals whose text is as long as possible. */
const POSITION = [-179.123456, -89.123456];
const bodyOf = (jobs: number, vertices: number) =>
  JSON.stringify({
    jobs: Array.from({ length: jobs }, () => ({
      polygon: { type: 'Polygon', coordinates: [Array(vertices).fill(POSITION)] },
      year: 2024,
    })),
  });

describe('GET /v1/limits', () => {
  it("returns the tenant's limits", async () => {
    const own = { hectaresPerJob: 12_000, requestsPerMinute: 60, runningBatches: 37 };
    await tenants.create({ ...A_TENANT, tenant: 'large', limits: own });
    const response = await limits({ path: '/v1/limits', tenant: 'large' });
    expect(limitsResponse.parse(response.body)).toMatchObject({
      hectares_per_job: 12_000,
      requests_per_minute: 60,
      requests_at_once: 10,
      running_batches: 37,
    });
  });

  it('returns the enforced limits, and responds 304 while they are unchanged', async () => {
    const response = await limits({ path: '/v1/limits' });
    expect(limitsResponse.parse(response.body)).toMatchObject({
      jobs_per_batch: LIMITS.jobsPerBatch,
      body_bytes: LIMITS.bodyBytes,
      vertices_per_batch: LIMITS.verticesPerBatch,
      retention_days: 30,
      running_batches: 5,
      signed_url_seconds: 86_400,
    });
    const again = await limits({
      path: '/v1/limits',
      headers: { 'If-None-Match': String(response.headers['ETag']) },
    });
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  it('rejects unknown query parameters', async () => {
    expect((await limits({ path: '/v1/limits', query: { tenant: 'beta' } })).status).toBe(400);
  });
});

describe('the number of vertices that fit', () => {
  it.each([LIMITS.jobsPerBatch, 400])(
    'is the most that the body can hold for each of %i jobs',
    (jobs) => {
      const vertices = verticesThatFit(jobs);
      expect(bodyOf(jobs, vertices).length).toBeLessThanOrEqual(LIMITS.bodyBytes);
      expect(bodyOf(jobs, vertices + 1).length).toBeGreaterThan(LIMITS.bodyBytes);
    },
  );

  it.each([LIMITS.jobsPerBatch, 400, 18, 17])(
    'keeps the vertices of %i jobs within the limit of a batch',
    (jobs) => {
      expect(jobs * verticesThatFit(jobs)).toBeLessThanOrEqual(LIMITS.verticesPerBatch);
    },
  );

  it('equals the limit per job for a single job', () => {
    expect(verticesThatFit(1)).toBe(LIMITS.verticesPerJob);
  });
});
