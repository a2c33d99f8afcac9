import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { eventually } from '../support/deployed/eventually.ts';

const service = inject('service');
// Another tenant: the whole area is a quarter of a daily quota.
const call = httpClient(service.v2_url, service.other_tenant_api_key);
const { jobs }: { jobs: readonly object[] } = JSON.parse(
  readFileSync('examples/meuse-batch.json', 'utf8'),
);
const body = JSON.stringify({ jobs, metadata: { spelt: 1 } });

const estimateBody = z.looseObject({
  total_jobs: z.number(),
  point_count: z.number(),
  total_patch_batches: z.number(),
  expected_seconds: z.number(),
  expected_duration: z.nullable(z.object({ min_seconds: z.number(), max_seconds: z.number() })),
  quota: z.looseObject({
    jobs: z.looseObject({ remaining: z.number(), remaining_after: z.number() }),
    hectares: z.looseObject({ remaining: z.number(), remaining_after: z.number() }),
  }),
  jobs: z.array(
    z.looseObject({
      point_count: z.number().nullable(),
      total_patch_batches: z.number().nullable(),
      model: z.string().nullable(),
      error_code: z.string().nullable(),
      error_message: z.string().nullable(),
    }),
  ),
});

describe('an estimate and the batch that follows it', () => {
  let estimate: z.infer<typeof estimateBody>;
  let batchId: string;
  let finished: z.infer<typeof spec.batch>;

  beforeAll(async () => {
    const response = await call('/v1/batch/estimate', { body });
    expect(response.status).toBe(200);
    estimate = estimateBody.parse(response.json);
    const created = await call('/v1/batch', { body });
    batchId = spec.created.parse(created.json).batch_id;
    finished = await eventually(
      async () => spec.batch.parse((await call(`/v1/batch/${batchId}/status`)).json),
      ({ completed_at }) => completed_at !== null,
    );
  });

  it('agree exactly on cells, patch-batches, models and errors', async () => {
    expect(estimate.total_jobs).toBe(finished.total_jobs);
    for (const [index, job] of finished.jobs.entries()) {
      const status = await call(`/v1/batch/${batchId}/jobs/${job.job_id}/status`);
      const { point_count, total_patch_batches } = spec.jobDetail.parse(status.json);
      const { error_code, error_message } = job;
      const model = job.status === 'failed' ? null : job.model;
      expect(estimate.jobs[index]).toMatchObject({
        ...{ point_count, total_patch_batches, error_code, error_message, model },
      });
    }
    expect(estimate.point_count).toBeGreaterThan(10_000);
  });

  it('agree on the quota: a second estimate starts from what the first one left', async () => {
    const again = estimateBody.parse((await call('/v1/batch/estimate', { body })).json);
    expect(again.quota.jobs.remaining).toBeLessThanOrEqual(estimate.quota.jobs.remaining_after);
    expect(again.quota.hectares.remaining).toBeLessThanOrEqual(
      estimate.quota.hectares.remaining_after,
    );
  });

  it('agree on the time, once the deployment has measured a batch', async () => {
    const again = estimateBody.parse((await call('/v1/batch/estimate', { body })).json);
    const took =
      (Date.parse(finished.completed_at ?? '') - Date.parse(finished.created_at)) / 1_000;
    // Other tests run batches at the same time: of the order of what it took, not of prediction alone.
    expect(again.expected_duration?.max_seconds).toBeGreaterThan(took / 10);
    expect(again.expected_duration?.min_seconds).toBeLessThanOrEqual(took * 10);
  });

  it('are listed with the same status, and only for their tenant', async () => {
    const page = z.looseObject({
      batches: z.array(z.looseObject({ batch_id: z.string() })),
      next_cursor: z.string().nullable(),
    });
    const status = await call(`/v1/batch/${batchId}/status?jobs=none`);
    const seen: z.infer<typeof page>['batches'] = [];
    let query = `?status=${finished.status}&limit=3`;
    for (;;) {
      const { batches, next_cursor } = page.parse((await call(`/v1/batch${query}`)).json);
      seen.push(...batches);
      if (next_cursor === null) break;
      query = `?status=${finished.status}&cursor=${encodeURIComponent(next_cursor)}`;
    }
    expect(seen.filter((batch) => batch.batch_id === batchId)).toEqual([status.json]);
    expect(new Set(seen.map((batch) => batch.batch_id)).size).toBe(seen.length);
    const other = { key: service.api_key };
    const foreign = page.parse((await call('/v1/batch?limit=100', other)).json);
    expect(foreign.batches.map((batch) => batch.batch_id)).not.toContain(batchId);
  });
});
