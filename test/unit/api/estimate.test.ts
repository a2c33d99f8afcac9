import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRequestExample } from '../../../lambdas/api/operations/create-request.ts';
import { estimateBatchDefinition } from '../../../lambdas/api/operations/estimate-batch.ts';
import { estimateResponse } from '../../../lambdas/api/operations/estimate-response.ts';
import published from '../../../lambdas/api/operations/examples/estimate-batch.json' with {
  type: 'json',
};
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { expectedSeconds } from '../../../lambdas/domain/admission/batch-times.ts';
import { planJob } from '../../../lambdas/domain/job/planning/plan-job.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { A_TENANT, creationBody, inMemoryService } from '../../support/api/service.ts';
import { aDeployment, postBatch } from '../../support/domain/deployment.ts';
import { someTimes } from '../../support/stores/recent-times-contract.ts';

const example: { jobs: { name: string; year: number; polygon: object }[] } = JSON.parse(
  readFileSync('examples/meuse-batch.json', 'utf8'),
);
const OUTSIDE = {
  type: 'Polygon',
  coordinates: [
    [
      [8, 48],
      [8.001, 48],
      [8.001, 48.001],
      [8, 48],
    ],
  ],
};
const JOBS = [...example.jobs, { name: 'elsewhere', polygon: OUTSIDE, year: 2020 }];

async function requestEstimate(
  service: ReturnType<typeof inMemoryService>,
  jobs: readonly object[],
) {
  const response = await service.estimate({ body: creationBody({ jobs }) });
  expect(response.status).toBe(200);
  return estimateResponse.parse(response.body);
}

describe('an estimate', () => {
  it('is documented with the failure that it cannot predict', () => {
    const { description } = estimateBatchDefinition;
    expect(description).toContain('no_valid_cells');
  });

  it('has the same numbers, warnings and errors for each job as planning', async () => {
    const estimate = await requestEstimate(inMemoryService(), JOBS);
    const deployment = aDeployment();
    const batch = await postBatch(
      deployment,
      JOBS.map(({ polygon, year }) => ({ polygon, year })),
    );
    for (const [index, job] of estimate.jobs.entries()) {
      await planJob(deployment, batch.batch_id, index);
      const record = await deployment.jobs.read(batch.batch_id, index);
      const error = record?.status === 'failed' ? record.error : null;
      expect(job).toMatchObject({
        name: JOBS[index]?.name,
        point_count: record?.point_count ?? null,
        total_patch_batches: record?.total_patch_batches ?? null,
        model: record?.model?.id ?? null,
        warnings: record?.warnings ?? [],
        error_code: error?.code ?? null,
        error_message: error?.message ?? null,
        error_location: error?.location ?? null,
      });
    }
    expect(estimate).toMatchObject({ total_jobs: 4, failing_jobs: 2, unplanned_jobs: 0 });
    expect(estimate.jobs.map(({ error_code }) => error_code)).toEqual([
      null,
      null,
      'geometry_self_intersection',
      'outside_coverage',
    ]);
  });

  it('adds up the numbers of its jobs', async () => {
    const { jobs, ...totals } = await requestEstimate(inMemoryService(), JOBS);
    const sum = (values: readonly (number | null)[]) =>
      values.reduce<number>((total, value) => total + (value ?? 0), 0);
    expect(totals.point_count).toBe(sum(jobs.map((each) => each.point_count)));
    expect(totals.total_patch_batches).toBe(sum(jobs.map((each) => each.total_patch_batches)));
    expect(totals.hectares).toBeCloseTo(sum(jobs.map((each) => each.hectares)), 6);
    expect(totals.point_count).toBeGreaterThan(10_000);
    expect(totals.expected_seconds).toBeGreaterThan(0);
  });

  it('charges and stores nothing, and returns the quota that a creation leaves', async () => {
    const service = inMemoryService();
    const { quota } = await requestEstimate(service, JOBS);
    expect(service.writes.count).toBe(0);
    expect(await requestEstimate(service, JOBS)).toMatchObject({ quota });
    const created = await service.create({ body: creationBody({ jobs: JOBS }) });
    expect(quota.fits).toBe(true);
    expect(created.headers).toMatchObject({
      'X-RateLimit-Remaining-Jobs': String(quota.jobs.remaining_after),
      'X-RateLimit-Remaining-Hectares': String(quota.hectares.remaining_after),
    });
  });

  it('reports that a batch exceeds the quota, and still estimates it', async () => {
    const service = inMemoryService();
    await service.tenants.create({ ...A_TENANT, limits: { hectaresPerDay: 1_000 } });
    const field = JOBS[0] ?? {};
    const many = Array.from({ length: 30 }, () => field);
    const { quota } = await requestEstimate(service, many);
    expect(quota.fits).toBe(false);
    expect(quota.hectares.wanted).toBeGreaterThan(quota.hectares.remaining);
    expect((await service.create({ body: creationBody({ jobs: many }) })).status).toBe(429);
  });

  it.each([
    ['no jobs', creationBody({ jobs: [] })],
    ['an unknown member', creationBody({ unknown: 1 })],
    ['a webhook that a creation rejects', creationBody({ webhook_url: 'http://localhost/' })],
    ['a body that is not JSON', '{'],
  ])('rejects what a creation rejects, with the same message: %s', async (_, body) => {
    const service = inMemoryService();
    const [estimated, created] = [await service.estimate({ body }), await service.create({ body })];
    expect(estimated.status).toBe(created.status);
    const { errors, detail, type } = problemBody.parse(estimated.body);
    expect(problemBody.parse(created.body)).toMatchObject({ detail, type });
    expect(problemBody.parse(created.body).errors).toEqual(errors);
  });

  it('counts against the request rate according to its jobs', async () => {
    const service = inMemoryService();
    await requestEstimate(service, JOBS);
    await requestEstimate(
      service,
      Array.from({ length: 100 }, () => JOBS[0] ?? {}),
    );
    expect(service.weights.filter((more) => more > 0)).toEqual([9]);
  });

  it('returns the example response for the example request', async () => {
    const { body } = await inMemoryService().estimate({
      body: JSON.stringify(createRequestExample),
    });
    const { jobs, expected_cost } = estimateResponse.parse(body);
    expect(jobs).toEqual(published.jobs);
    expect(expected_cost).toEqual(published.expected_cost);
  });
});

describe('an estimate with jobs that take long to plan', () => {
  const [, good = {}, bowTie = {}] = example.jobs;
  const jobs = [...Array.from({ length: 30 }, () => good), bowTie];

  const advancing = (milliseconds: number) => {
    let now = 5_000;
    return () => {
      now += milliseconds;
      return now;
    };
  };

  it('plans only the first jobs, but states the area of each job and the error of an invalid polygon', async () => {
    const whole = await requestEstimate(inMemoryService(), jobs);
    const estimate = await requestEstimate(inMemoryService({ cpuClock: advancing(100) }), jobs);
    const planned = jobs.length - 1 - estimate.unplanned_jobs;
    expect(planned).toBeGreaterThan(0);
    expect(estimate.unplanned_jobs).toBeGreaterThan(0);
    expect(estimate.jobs.slice(0, planned)).toEqual(whole.jobs.slice(0, planned));
    for (const { hectares, point_count, error_code } of estimate.jobs.slice(planned, -1)) {
      expect(hectares).toBe(whole.jobs[0]?.hectares);
      expect({ point_count, error_code }).toEqual({ point_count: null, error_code: null });
    }
    expect(estimate.jobs.at(-1)).toEqual(whole.jobs.at(-1));
    expect(estimate).toMatchObject({
      hectares: whole.hectares,
      quota: whole.quota,
      expected_seconds: null,
      expected_duration: null,
      expected_cost: null,
    });
  });

  it('stops in the middle of a job, and counts the time from the start of the request', async () => {
    const third = (LIMITS.estimateCpuSeconds * 1_000) / 3;
    const estimate = await requestEstimate(inMemoryService({ cpuClock: advancing(third) }), jobs);
    expect(estimate.unplanned_jobs).toBe(jobs.length - 1);
    const spent = advancing(LIMITS.estimateCpuSeconds * 1_000);
    const late = await requestEstimate(inMemoryService({ cpuClock: spent }), jobs);
    expect(late.unplanned_jobs).toBe(jobs.length - 1);
  });
});

describe('the expected time', () => {
  const work = (...pointCounts: number[]) => ({ pointCounts, pointsPerSecond: 10 });

  it('is the sum for all points when one invocation runs at a time', () => {
    const jobs = [work(10, 20), work(30)];
    expect(expectedSeconds(jobs, { jobs: 1, patchBatches: 1 })).toBe(6);
  });

  it('is the time of the largest patch-batch, or an even share of the total if that is longer', () => {
    const jobs = [work(10, 20, 30), work(100)];
    expect(expectedSeconds(jobs, { jobs: 9, patchBatches: 9 })).toBe(10);
    const even = Array.from({ length: 8 }, () => work(10, 10, 10, 10));
    expect(expectedSeconds(even, { jobs: 4, patchBatches: 2 })).toBe(4);
  });

  it('adds up patch-batches that share an invocation', () => {
    expect(expectedSeconds([work(1, 2, 3, 10)], { jobs: 9, patchBatches: 9 })).toBe(1);
    expect(expectedSeconds([work(1, 2, 3)], { jobs: 9, patchBatches: 9 })).toBeCloseTo(0.6, 9);
  });

  it('is zero when there is nothing to predict', () => {
    expect(expectedSeconds([], { jobs: 2, patchBatches: 2 })).toBe(0);
  });

  it('has a range once the deployment has finished a batch', async () => {
    const service = inMemoryService();
    const ask = async () =>
      estimateResponse.parse((await service.estimate({ body: creationBody() })).body);
    expect((await ask()).expected_duration).toBeNull();
    await service.recentTimes.add(someTimes({ jobs: 1, waitSeconds: 30, runSeconds: 120 }));
    const { expected_duration, expected_seconds } = await ask();
    expect(expected_seconds).toBeLessThan(1);
    expect(expected_duration?.min_seconds).toBeGreaterThan(100);
    expect(expected_duration?.max_seconds).toBeLessThan(200);
  });
});
