import { describe, expect, it } from 'vitest';
import { estimateResponse } from '../../../lambdas/api/contract/estimate.ts';
import { creationResponse, problemBody } from '../../../lambdas/api/contract/responses.ts';
import { usageResponse } from '../../../lambdas/api/contract/usage.ts';
import { isOurFault } from '../../../lambdas/domain/job/job.ts';
import { A_TENANT, creationBody, inMemoryService, job } from './service.ts';

const keyed = (key: string, body = creationBody()) => ({
  body,
  headers: { 'Idempotency-Key': key },
});

const rateLimits = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('X-RateLimit-')));

/** 2026-03-04T05:06:07.089Z to midnight, rounded up. */
const TO_MIDNIGHT = '68033';

describe('an idempotency key', () => {
  it('makes one batch of equal requests and answers each with the same bytes', async () => {
    const service = inMemoryService();
    const first = await service.create(keyed('order-1'));
    service.time.now = new Date('2026-03-04T07:00:00.000Z');
    const second = await service.create(keyed('"order-1"'));
    expect(second.status).toBe(202);
    expect(second.text).toBe(first.text);
    expect(second.headers['Location']).toBe(first.headers['Location']);
    expect(first.headers).not.toHaveProperty('Idempotent-Replayed');
    expect(second.headers['Idempotent-Replayed']).toBe('true');
    expect(service.batches.size).toBe(1);
    expect(second.headers['X-RateLimit-Remaining-Jobs']).toBe('999');
  });

  it('makes one batch of fifty requests at once', async () => {
    const service = inMemoryService();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => service.create(keyed('order-1'))),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['Idempotent-Replayed'] === 'true')).toHaveLength(
      49,
    );
    expect(service.batches.size).toBe(1);
    expect(new Set(service.started)).toEqual(new Set(service.batches.keys()));
  });

  it('takes up a creation that died before its batch was started', async () => {
    const service = inMemoryService();
    service.faults.start = true;
    await service.create(keyed('order-1'));
    expect(service.started).toEqual([]);
    service.faults.start = false;
    await service.create(keyed('order-1'));
    expect(service.started).toEqual([...service.batches.keys()]);
  });

  it.each([
    ['the body', { body: creationBody({ metadata: { n: 2 } }), headers: {} }],
    ['only the white space', { body: `${creationBody()} `, headers: {} }],
    ['the secret in the header', { body: creationBody(), headers: { 'Webhook-Secret': 'new' } }],
  ])('is refused when %s differs, naming the first batch', async (_, { body, headers }) => {
    const service = inMemoryService();
    const first = await service.create(keyed('order-1'));
    const { batch_id } = creationResponse.parse(first.body);
    const other = await service.create({
      body,
      headers: { 'Idempotency-Key': 'order-1', ...headers },
    });
    expect(other.status).toBe(409);
    expect(problemBody.parse(other.body).detail).toContain(batch_id);
    expect(service.batches.size).toBe(1);
  });

  it('is each tenant’s own', async () => {
    const service = inMemoryService();
    await service.create(keyed('order-1'));
    const other = await service.create({ ...keyed('order-1'), tenant: 'beta' });
    expect(other.status).toBe(202);
    expect(service.batches.size).toBe(2);
  });

  it('is free again after a day', async () => {
    const service = inMemoryService();
    await service.create(keyed('order-1'));
    service.time.now = new Date('2026-03-05T05:06:08.000Z');
    const next = await service.create(keyed('order-1'));
    expect(next.headers).not.toHaveProperty('Idempotent-Replayed');
    expect(service.batches.size).toBe(2);
  });

  it.each(['', '"', '""', 'a b', 'a,b', 'ä', 'a'.repeat(256), '"a', 'a"', "'a'", 'a/b', 'a.b'])(
    'is refused as %j',
    async (key) => {
      const service = inMemoryService();
      const answer = await service.create(keyed(key));
      expect(answer.status).toBe(400);
      const problem = problemBody.parse(answer.body);
      expect(problem.type).toMatch(/idempotency-key-invalid$/);
      expect(problem.detail).toContain(`got ${JSON.stringify(key.slice(0, 40))}`);
      expect(service.batches.size).toBe(0);
    },
  );

  it.each(['a', '-', '_', 'A-z_09', 'a'.repeat(255), `"${'a'.repeat(255)}"`])(
    'is taken as %j',
    async (key) => {
      expect((await inMemoryService().create(keyed(key))).status).toBe(202);
    },
  );

  it('is stored with a digest that tells nothing of the request', async () => {
    const service = inMemoryService();
    await service.create(keyed('order-1'));
    const [known] = [...service.claims.keys.values()];
    expect(known?.digest).toMatch(/^[0-9a-f]{64}$/);
  });
});

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
    const answer = await service.create({ body: creationBody() });
    expect(answer.status).toBe(429);
    const { type, detail } = problemBody.parse(answer.body);
    expect(type).toMatch(/quota-exceeded$/);
    expect(detail).toContain('asks for 1 job');
    expect(detail).toContain('0 jobs');
    expect(detail).toContain('2026-03-05T00:00:00.000Z');
    expect(answer.headers['Retry-After']).toBe(TO_MIDNIGHT);
    expect(answer.headers['X-RateLimit-Remaining-Jobs']).toBe('0');
    expect(service.requests.size).toBe(1);
    service.time.now = new Date('2026-03-05T00:00:00.000Z');
    expect((await service.create({ body: creationBody() })).status).toBe(202);
  });

  it('says so when no day would ever hold the batch', async () => {
    const service = inMemoryService();
    const jobs = Array.from({ length: 200 }, () => job());
    const answer = await service.create({ body: creationBody({ jobs }) });
    expect(answer.status).toBe(429);
    expect(problemBody.parse(answer.body).detail).toContain('more than a whole day allows');
  });

  it.each([
    ['is not valid', { polygon: { type: 'Polygon', coordinates: [] } }],
    ['is larger than a job may be', { polygon: square(5.5, 50.5, 0.5) }],
    ['lies outside every model’s coverage', { polygon: square(100, 10, 0.01) }],
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

  it('is the same area in an estimate and in the usage after it', async () => {
    const service = inMemoryService();
    const body = creationBody({ jobs: [job(), job({ polygon: square(5.72, 50.96, 0.004) })] });
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
    expect((await service.create(keyed('order-1'))).text).toBe(first.text);
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
  ] as const)('%s: %s', (code, given) => {
    expect(isOurFault(code)).toBe(given);
  });
});

/**
 * Ground area of one {@link job}: 390,773.7 m² by pyproj 3.7.2,
 * `Geod(ellps='WGS84').polygon_area_perimeter` of its edges in 1,000 pieces each.
 */
const SQUARE_METRES = 390_774;

function square(lon: number, lat: number, size: number) {
  const [east, north] = [lon + size, lat + size];
  const ring = [
    [lon, lat],
    [east, lat],
    [east, north],
    [lon, north],
    [lon, lat],
  ];
  return { type: 'Polygon', coordinates: [ring] };
}
