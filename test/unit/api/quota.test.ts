import { describe, expect, it } from 'vitest';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { estimateResponse } from '../../../lambdas/api/operations/estimate-response.ts';
import { usageResponse } from '../../../lambdas/api/operations/usage.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { isServiceFault } from '../../../lambdas/domain/job/job.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import {
  A_TENANT,
  creationBody,
  inMemoryService,
  job,
  withIdempotencyKey,
} from '../../support/api/service.ts';
import { aSquare } from '../../support/box.ts';
import { thinZigzag } from '../../support/thin-zigzag.ts';
import { tinyTriangles } from '../../support/tiny-triangles.ts';

const rateLimits = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('X-RateLimit-')));

/** Fails the test if a polygon is validated, which needs the packs. */
const makeUnusedCatalogue = () => Promise.reject(new Error('a polygon was checked'));

/** Seconds from 2026-03-04T05:06:07.089Z to midnight, rounded up. */
const TO_MIDNIGHT = '68033';

describe('a quota', () => {
  it('is stated in the headers of the response to a creation', async () => {
    const service = inMemoryService();
    const { headers } = await service.create({ body: creationBody({ jobs: [job(), job()] }) });
    const remaining = (2_500_000_000 - 2 * SQUARE_METRES) / 10_000;
    expect(rateLimits(headers)).toEqual({
      'X-RateLimit-Limit-Jobs': '10000',
      'X-RateLimit-Remaining-Jobs': '9998',
      'X-RateLimit-Reset-Jobs': TO_MIDNIGHT,
      'X-RateLimit-Limit-Hectares': '250000',
      'X-RateLimit-Remaining-Hectares': String(remaining),
      'X-RateLimit-Reset-Hectares': TO_MIDNIGHT,
    });
  });

  it('counts a new batch in the headers even if the usage cannot be read again', async () => {
    const service = inMemoryService();
    service.faults.usageOnceCreated = true;
    const { status, headers } = await service.create({ body: creationBody() });
    expect(status).toBe(202);
    expect(rateLimits(headers)).toMatchObject({ 'X-RateLimit-Remaining-Jobs': '9999' });
  });

  it('admits exactly as many concurrent creations as fit', async () => {
    const service = inMemoryService();
    await service.tenants.create({ ...A_TENANT, limits: { jobsPerDay: 7 } });
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => service.create({ body: creationBody() })),
    );
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(7);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(13);
    expect(await service.batchIds()).toHaveLength(7);
  });

  it('rejects creations until midnight once it is used up, and the response says what is left', async () => {
    const service = inMemoryService();
    await service.tenants.create({ ...A_TENANT, limits: { jobsPerDay: 1 } });
    await service.create({ body: creationBody() });
    const response = await service.create({ body: 'whatever it holds' });
    expect(response.status).toBe(429);
    const { type, detail } = problemBody.parse(response.body);
    expect(type).toMatch(/quota-exceeded$/);
    expect(detail).toContain('0 jobs and 249960.9226 ha');
    expect(detail).toContain('not read');
    expect(detail).toContain('2026-03-05T00:00:00.000Z');
    expect(response.headers['Retry-After']).toBe(TO_MIDNIGHT);
    expect(response.headers['X-RateLimit-Remaining-Jobs']).toBe('0');
    expect(await service.batchIds()).toHaveLength(1);
    service.time.now = new Date('2026-03-05T00:00:00.000Z');
    expect((await service.create({ body: creationBody() })).status).toBe(202);
  });

  it('is compared with the number of jobs before any polygon is validated', async () => {
    const service = inMemoryService({ catalogue: makeUnusedCatalogue });
    await service.tenants.create({ ...A_TENANT, limits: { jobsPerDay: 1 } });
    const before = service.writes.count;
    const response = await service.create({ body: creationBody({ jobs: [job(), job()] }) });
    expect(response.status).toBe(429);
    const { detail } = problemBody.parse(response.body);
    expect(detail).toMatch(/2 jobs\. .*1 job and 250000 ha/);
    expect(service.writes.count).toBe(before);
  });

  it.each([
    ['jobs', { jobsPerDay: 0 }],
    ['hectares', { hectaresPerDay: 0 }],
  ])(
    'rejects a creation before reading its body when no %s are left, even with a new idempotency key',
    async (_, limits) => {
      const service = inMemoryService({ catalogue: makeUnusedCatalogue });
      await service.tenants.create({ ...A_TENANT, limits });
      for (const call of [{ body: '{' }, withIdempotencyKey('order-1', '{')]) {
        const response = await service.create(call);
        expect(response.status).toBe(429);
        expect(problemBody.parse(response.body).type).toMatch(/quota-exceeded$/);
      }
      expect(service.weights).toEqual([]);
    },
  );

  it.each([
    [200, { hectaresPerDay: 5_000 }],
    [1, { jobsPerDay: 0 }],
    [1, { hectaresPerDay: 0 }],
  ])(
    'that cannot hold a batch even when unused gives no Retry-After: %i jobs, %j',
    async (count, limits) => {
      const service = inMemoryService();
      await service.tenants.create({ ...A_TENANT, limits });
      const jobs = Array.from({ length: count }, () => job());
      const response = await service.create({ body: creationBody({ jobs }) });
      expect(response.status).toBe(429);
      expect(problemBody.parse(response.body).type).toMatch(/quota-exceeded$/);
      expect(response.headers).not.toHaveProperty('Retry-After');
    },
  );

  it.each([
    ['is not valid', { polygon: { type: 'Polygon', coordinates: [] } }],
    ['is larger than a job may be', { polygon: aSquare(5.5, 50.5, 0.5) }],
    ['lies outside every model’s coverage', { polygon: aSquare(100, 10, 0.01) }],
    ['asks for an unknown model', { model: 'nobody' }],
  ])('is not charged any area for a job that %s', async (_, members) => {
    const service = inMemoryService();
    await service.create({ body: creationBody({ jobs: [job(members)] }) });
    expect(usageResponse.parse((await service.usage()).body)).toMatchObject({
      jobs: { used: 1 },
      hectares: { used: 0 },
    });
  });

  it('is not charged any area for a job over the tenant’s own limit, which is stored with the batch', async () => {
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
    const [batchId = ''] = await service.batchIds();
    expect((await service.storedBatch(batchId)).batch.hectares_per_job).toBe(39);
  });

  it('is charged for the perimeter of a very thin polygon, without adding to its ground area', async () => {
    const service = inMemoryService();
    const polygon = thinZigzag([5.7208, 50.9555, 5.7655, 50.993], 600, 1e-12);
    const created = await service.create({ body: creationBody({ jobs: [job({ polygon })] }) });
    const { hectares } = usageResponse.parse((await service.usage()).body);
    expect(hectares.used).toBeGreaterThan(2_000);
    const id = creationResponse.parse(created.body).batch_id;
    const entries = await service.requests.entries(id);
    expect(entries).toMatchObject([
      { squareMetres: 0, chargedSquareMetres: hectares.used * 10_000 },
    ]);
  });

  it('is charged for each of many tiny rings, as the estimate states', async () => {
    const service = inMemoryService();
    const body = creationBody({ jobs: [job({ polygon: tinyTriangles(300) })] });
    const estimate = estimateResponse.parse((await service.estimate({ body })).body);
    await service.create({ body });
    const { hectares } = usageResponse.parse((await service.usage()).body);
    expect(hectares.used).toBeCloseTo((300 * LIMITS.chargedSquareMetresPerRing) / 10_000, 6);
    expect(estimate.hectares).toBe(hectares.used);
    expect(hectares.used).toBeGreaterThanOrEqual(((estimate.point_count ?? 0) * 100) / 10_000);
  });

  it('is charged the area that the estimate states', async () => {
    const service = inMemoryService();
    const body = creationBody({ jobs: [job(), job({ polygon: aSquare(5.72, 50.96, 0.0001) })] });
    const estimate = estimateResponse.parse((await service.estimate({ body })).body);
    await service.create({ body });
    const { hectares } = usageResponse.parse((await service.usage()).body);
    expect(hectares.used).toBeGreaterThan(0);
    expect(estimate.hectares).toBe(hectares.used);
  });

  it('is not charged for a repeated or rejected request', async () => {
    const service = inMemoryService();
    await service.create(withIdempotencyKey('order-1'));
    await service.create(withIdempotencyKey('order-1'));
    await service.create(withIdempotencyKey('order-1', creationBody({ metadata: {} })));
    await service.create({ body: '{"jobs":[]}' });
    expect(usageResponse.parse((await service.usage()).body).jobs.used).toBe(1);
  });

  it('allows a repeated request even when nothing is left', async () => {
    const service = inMemoryService();
    await service.tenants.create({ ...A_TENANT, limits: { jobsPerDay: 1 } });
    const first = await service.create(withIdempotencyKey('order-1'));
    const repeat = await service.create(withIdempotencyKey('order-1'));
    expect(repeat).toMatchObject({ status: 202, text: first.text });
    const other = creationBody({ metadata: {} });
    expect((await service.create(withIdempotencyKey('order-1', other))).status).toBe(409);
    expect((await service.create(withIdempotencyKey('order-2'))).status).toBe(429);
  });

  it('makes a creation respond 503 with Retry-After when writes to its item conflict for too long', async () => {
    const service = inMemoryService();
    service.faults.conflict = true;
    const response = await service.create({ body: creationBody() });
    expect(response.status).toBe(503);
    expect(response.headers['Retry-After']).toBe('5');
  });
});

describe('the usage of a tenant', () => {
  it('is zero on a new day, under the default limits', async () => {
    const response = await inMemoryService().usage();
    expect(usageResponse.parse(response.body)).toEqual({
      day: '2026-03-04',
      resets_at: '2026-03-05T00:00:00.000Z',
      jobs: { limit: 10_000, used: 0, remaining: 10_000, given_back: 0 },
      hectares: { limit: 250_000, used: 0, remaining: 250_000, given_back: 0 },
    });
  });

  it('counts ground area to the square metre, per tenant', async () => {
    const service = inMemoryService();
    await service.create({ body: creationBody({ jobs: [job(), job(), job()] }) });
    const { jobs, hectares } = usageResponse.parse((await service.usage()).body);
    expect([jobs.used, hectares.used]).toEqual([3, (3 * SQUARE_METRES) / 10_000]);
    const other = usageResponse.parse((await service.usage({ tenant: 'beta' })).body);
    expect(other.jobs.used).toBe(0);
  });

  it('can be cached by its ETag until something is charged', async () => {
    const service = inMemoryService();
    const { headers } = await service.usage();
    const again = { headers: { 'If-None-Match': String(headers['ETag']) } };
    expect((await service.usage(again)).status).toBe(304);
    await service.create({ body: creationBody() });
    expect((await service.usage(again)).status).toBe(200);
  });

  it('has remainders of 0 after limits are lowered below it', async () => {
    const service = inMemoryService();
    await service.create({ body: creationBody({ jobs: [job(), job()] }) });
    await service.tenants.create({ ...A_TENANT, limits: { jobsPerDay: 1, hectaresPerDay: 0 } });
    const { jobs, hectares } = usageResponse.parse((await service.usage()).body);
    expect([jobs.remaining, hectares.remaining]).toEqual([0, 0]);
  });
});

describe('the failure of a job', () => {
  it.each([
    ['internal', true],
    ['deadline', true],
    ['covariate_unavailable', true],
    ['model_invalid', true],
    ['cancelled', false],
    ['geometry_self_intersection', false],
    ['no_valid_cells', false],
    ['area_over_limit', false],
    ['too_many_grid_crossings', false],
  ] as const)('with the code %s is a fault of the service: %s', (code, expected) => {
    expect(isServiceFault(code)).toBe(expected);
  });
});

/**
 * Ground area of one {@link job}: 390,773.7 m² by pyproj 3.7.2,
 * `Geod(ellps='WGS84').polygon_area_perimeter` of its edges in 1,000 pieces each.
 */
const SQUARE_METRES = 390_774;
