import { describe, expect, it } from 'vitest';
import { estimateResponse } from '../../../lambdas/api/operations/batch/estimate-response.ts';
import { usageResponse } from '../../../lambdas/api/operations/tenant/usage.ts';
import { problemBody } from '../../../lambdas/api/specification/problem-schema.ts';
import { isOurFault } from '../../../lambdas/domain/job/job.ts';
import { aSquare } from '../../box.ts';
import { thinZigzag } from '../../thin-zigzag.ts';
import { A_TENANT, creationBody, inMemoryService, job, keyed } from './service.ts';

const rateLimits = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('X-RateLimit-')));

/** The packs are what polygons are judged by. */
const neverAsked = () => Promise.reject(new Error('a polygon was judged'));

/** 2026-03-04T05:06:07.089Z to midnight, rounded up. */
const TO_MIDNIGHT = '68033';

describe('a quota', () => {
  it('is told of by every answer to a creation', async () => {
    const service = inMemoryService();
    const { headers } = await service.create({ body: creationBody({ jobs: [job(), job()] }) });
    const remaining = (50_000_000 - 2 * SQUARE_METRES) / 10_000;
    expect(rateLimits(headers)).toEqual({
      'X-RateLimit-Limit-Jobs': '1000',
      'X-RateLimit-Remaining-Jobs': '998',
      'X-RateLimit-Reset-Jobs': TO_MIDNIGHT,
      'X-RateLimit-Limit-Hectares': '5000',
      'X-RateLimit-Remaining-Hectares': String(remaining),
      'X-RateLimit-Reset-Hectares': TO_MIDNIGHT,
    });
  });

  it('lets in exactly what fits, one batch at a time or all at once', async () => {
    const service = inMemoryService();
    await service.tenants.create({ ...A_TENANT, limits: { jobsPerDay: 7 } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.create({ body: creationBody() })),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(7);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(13);
    expect(service.batches.size).toBe(7);
  });

  it('is refused until midnight, saying what was asked for and what is left', async () => {
    const service = inMemoryService();
    await service.tenants.create({ ...A_TENANT, limits: { jobsPerDay: 1 } });
    await service.create({ body: creationBody() });
    const answer = await service.create({ body: 'whatever it holds' });
    expect(answer.status).toBe(429);
    const { type, detail } = problemBody.parse(answer.body);
    expect(type).toMatch(/quota-exceeded$/);
    expect(detail).toContain('there are 0 jobs and 4960.9226 ha left');
    expect(detail).toContain('was not read');
    expect(detail).toContain('2026-03-05T00:00:00.000Z');
    expect(answer.headers['Retry-After']).toBe(TO_MIDNIGHT);
    expect(answer.headers['X-RateLimit-Remaining-Jobs']).toBe('0');
    expect(service.requests.size).toBe(1);
    service.time.now = new Date('2026-03-05T00:00:00.000Z');
    expect((await service.create({ body: creationBody() })).status).toBe(202);
  });

  it('is refused by the number of jobs before any polygon is judged', async () => {
    const service = inMemoryService({ catalogue: neverAsked });
    await service.tenants.create({ ...A_TENANT, limits: { jobsPerDay: 1 } });
    const answer = await service.create({ body: creationBody({ jobs: [job(), job()] }) });
    expect(answer.status).toBe(429);
    const { detail } = problemBody.parse(answer.body);
    expect(detail).toContain('asks for 2 jobs. Of today’s 1 job and 5000 ha');
    expect(service.writes.count).toBe(0);
  });

  it.each([
    ['jobs', { jobsPerDay: 0 }],
    ['area', { hectaresPerDay: 0 }],
  ])(
    'is refused before the body is read when no %s are left, also under a new key',
    async (_, limits) => {
      const service = inMemoryService({ catalogue: neverAsked });
      await service.tenants.create({ ...A_TENANT, limits });
      for (const call of [{ body: '{' }, keyed('order-1', '{')]) {
        const answer = await service.create(call);
        expect(answer.status).toBe(429);
        expect(problemBody.parse(answer.body).type).toMatch(/quota-exceeded$/);
      }
      expect(service.weights).toEqual([]);
    },
  );

  it('says so when no day would ever hold the batch', async () => {
    const service = inMemoryService();
    const jobs = Array.from({ length: 200 }, () => job());
    const answer = await service.create({ body: creationBody({ jobs }) });
    expect(answer.status).toBe(429);
    expect(problemBody.parse(answer.body).detail).toContain('more than a whole day allows');
  });

  it.each([
    ['is not valid', { polygon: { type: 'Polygon', coordinates: [] } }],
    ['is larger than a job may be', { polygon: aSquare(5.5, 50.5, 0.5) }],
    ['lies outside every model’s coverage', { polygon: aSquare(100, 10, 0.01) }],
    ['asks for a model there is not', { model: 'nobody' }],
  ])('counts no area for a job that %s', async (_, members) => {
    const service = inMemoryService();
    await service.create({ body: creationBody({ jobs: [job(members)] }) });
    expect(usageResponse.parse((await service.usage()).body)).toMatchObject({
      jobs: { used: 1 },
      hectares: { used: 0 },
    });
  });

  it('counts no area for a job over its tenant’s own limit, which estimate and batch share', async () => {
    const service = inMemoryService();
    await service.tenants.create({ ...A_TENANT, limits: { hectaresPerJob: 39 } });
    const estimate = estimateResponse.parse(
      (await service.estimate({ body: creationBody() })).body,
    );
    expect(estimate.jobs[0]?.error_code).toBe('area_over_limit');
    await service.create({ body: creationBody() });
    expect(usageResponse.parse((await service.usage()).body)).toMatchObject({
      jobs: { used: 1 },
      hectares: { used: 0 },
    });
    await service.tenants.setLimits('alpha', { hectaresPerJob: null });
    expect([...service.batches.values()][0]?.batch.hectaresPerJob).toBe(39);
  });

  it('counts a hair-thin polygon by its perimeter, and keeps its ground area apart', async () => {
    const service = inMemoryService();
    const polygon = thinZigzag([5.7208, 50.9555, 5.7655, 50.993], 600, 1e-12);
    await service.create({ body: creationBody({ jobs: [job({ polygon })] }) });
    const { hectares } = usageResponse.parse((await service.usage()).body);
    expect(hectares.used).toBeGreaterThan(2_000);
    const entries = [...service.requests.values()].flatMap((request) => request.entries);
    expect(entries).toMatchObject([
      { squareMetres: 0, chargedSquareMetres: hectares.used * 10_000 },
    ]);
  });

  it('is the same area in an estimate and in the usage after it', async () => {
    const service = inMemoryService();
    const body = creationBody({ jobs: [job(), job({ polygon: aSquare(5.72, 50.96, 0.0001) })] });
    const estimate = estimateResponse.parse((await service.estimate({ body })).body);
    await service.create({ body });
    const { hectares } = usageResponse.parse((await service.usage()).body);
    expect(hectares.used).toBeGreaterThan(0);
    expect(estimate.hectares).toBe(hectares.used);
  });

  it('is not taken by a repeat, nor by a request that is refused', async () => {
    const service = inMemoryService();
    await service.create(keyed('order-1'));
    await service.create(keyed('order-1'));
    await service.create(keyed('order-1', creationBody({ metadata: {} })));
    await service.create({ body: '{"jobs":[]}' });
    expect(usageResponse.parse((await service.usage()).body).jobs.used).toBe(1);
  });

  it('answers a repeat even when nothing is left', async () => {
    const service = inMemoryService();
    await service.tenants.create({ ...A_TENANT, limits: { jobsPerDay: 1 } });
    const first = await service.create(keyed('order-1'));
    const repeat = await service.create(keyed('order-1'));
    expect(repeat).toMatchObject({ status: 202, text: first.text });
    const other = creationBody({ metadata: {} });
    expect((await service.create(keyed('order-1', other))).status).toBe(409);
    expect((await service.create(keyed('order-2'))).status).toBe(429);
  });

  it('asks for patience, not for a new batch, when its item is fought over for too long', async () => {
    const service = inMemoryService();
    service.faults.conflict = true;
    const answer = await service.create({ body: creationBody() });
    expect(answer.status).toBe(503);
    expect(answer.headers['Retry-After']).toBe('5');
  });
});

describe('the usage of a tenant', () => {
  it('is nothing on a new day, under the default limits', async () => {
    const answer = await inMemoryService().usage();
    expect(usageResponse.parse(answer.body)).toEqual({
      day: '2026-03-04',
      resets_at: '2026-03-05T00:00:00.000Z',
      jobs: { limit: 1_000, used: 0, remaining: 1_000, given_back: 0 },
      hectares: { limit: 5_000, used: 0, remaining: 5_000, given_back: 0 },
    });
  });

  it('counts ground area to the square metre, and is the tenant’s own', async () => {
    const service = inMemoryService();
    await service.create({ body: creationBody({ jobs: [job(), job(), job()] }) });
    const { jobs, hectares } = usageResponse.parse((await service.usage()).body);
    expect([jobs.used, hectares.used]).toEqual([3, (3 * SQUARE_METRES) / 10_000]);
    const other = usageResponse.parse((await service.usage({ tenant: 'beta' })).body);
    expect(other.jobs.used).toBe(0);
  });

  it('is kept by its ETag until something is taken', async () => {
    const service = inMemoryService();
    const { headers } = await service.usage();
    const again = { headers: { 'If-None-Match': String(headers['ETag']) } };
    expect((await service.usage(again)).status).toBe(304);
    await service.create({ body: creationBody() });
    expect((await service.usage(again)).status).toBe(200);
  });

  it('never leaves less than nothing, though a limit was lowered', async () => {
    const service = inMemoryService();
    await service.create({ body: creationBody({ jobs: [job(), job()] }) });
    await service.tenants.create({ ...A_TENANT, limits: { jobsPerDay: 1, hectaresPerDay: 0 } });
    const { jobs, hectares } = usageResponse.parse((await service.usage()).body);
    expect([jobs.remaining, hectares.remaining]).toEqual([0, 0]);
  });
});

describe('what is given back', () => {
  it.each([
    ['internal', true],
    ['deadline', true],
    ['covariate_unavailable', true],
    ['cancelled', false],
    ['geometry_self_intersection', false],
    ['no_valid_cells', false],
    ['area_over_limit', false],
    ['too_many_grid_crossings', false],
  ] as const)('%s: %s', (code, given) => {
    expect(isOurFault(code)).toBe(given);
  });
});

/**
 * Ground area of one {@link job}: 390,773.7 m² by pyproj 3.7.2,
 * `Geod(ellps='WGS84').polygon_area_perimeter` of its edges in 1,000 pieces each.
 */
const SQUARE_METRES = 390_774;
