import { describe, expect, it } from 'vitest';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { creationBody, inMemoryService, withIdempotencyKey } from '../../support/api/service.ts';

describe('an idempotency key', () => {
  it('creates one batch for equal requests, and returns the same bytes to each', async () => {
    const service = inMemoryService();
    const first = await service.create(withIdempotencyKey('order-1'));
    service.time.now = new Date('2026-03-04T07:00:00.000Z');
    const second = await service.create(withIdempotencyKey('"order-1"'));
    expect(second.status).toBe(202);
    expect(second.text).toBe(first.text);
    expect(second.headers['Location']).toBe(first.headers['Location']);
    expect(first.headers).not.toHaveProperty('Idempotent-Replayed');
    expect(second.headers['Idempotent-Replayed']).toBe('true');
    expect(await service.batchIds()).toHaveLength(1);
    expect(second.headers['X-RateLimit-Remaining-Jobs']).toBe(String(LIMITS.jobsPerDay - 1));
  });

  it('creates one batch for fifty concurrent requests', async () => {
    const service = inMemoryService();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => service.create(withIdempotencyKey('order-1'))),
    );
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(
      responses.filter(({ headers }) => headers['Idempotent-Replayed'] === 'true'),
    ).toHaveLength(49);
    expect(await service.batchIds()).toHaveLength(1);
    expect(new Set(service.started)).toEqual(new Set(await service.batchIds()));
  });

  it('lets a repeated request start a batch whose start failed', async () => {
    const service = inMemoryService();
    service.faults.start = true;
    await service.create(withIdempotencyKey('order-1'));
    expect(service.started).toEqual([]);
    service.faults.start = false;
    await service.create(withIdempotencyKey('order-1'));
    expect(service.started).toEqual(await service.batchIds());
  });

  it.each([
    ['a byte of the body', { body: creationBody({ metadata: { n: 2 } }), headers: {} }],
    ['only the white space', { body: `${creationBody({ metadata: { n: 1 } })} `, headers: {} }],
    [
      'the secret in the header',
      { body: creationBody({ metadata: { n: 1 } }), headers: { 'Webhook-Secret': 'new' } },
    ],
  ])('is rejected when %s differs, naming the first batch', async (_, { body, headers }) => {
    const service = inMemoryService();
    const first = await service.create(
      withIdempotencyKey('order-1', creationBody({ metadata: { n: 1 } })),
    );
    const { batch_id } = creationResponse.parse(first.body);
    const other = await service.create({
      body,
      headers: { 'Idempotency-Key': 'order-1', ...headers },
    });
    expect(other.status).toBe(409);
    expect(problemBody.parse(other.body).detail).toContain(batch_id);
    expect(await service.batchIds()).toHaveLength(1);
  });

  it('is scoped to the tenant', async () => {
    const service = inMemoryService();
    await service.create(withIdempotencyKey('order-1'));
    const other = await service.create({ ...withIdempotencyKey('order-1'), tenant: 'beta' });
    expect(other.status).toBe(202);
    expect(await service.batchIds()).toHaveLength(2);
  });

  it('can be reused after a day', async () => {
    const service = inMemoryService();
    await service.create(withIdempotencyKey('order-1'));
    service.time.now = new Date('2026-03-05T05:06:08.000Z');
    const next = await service.create(withIdempotencyKey('order-1'));
    expect(next.headers).not.toHaveProperty('Idempotent-Replayed');
    expect(await service.batchIds()).toHaveLength(2);
  });

  it.each(['', '"', '""', 'a b', 'a,b', 'ä', 'a'.repeat(256), '"a', 'a"', "'a'", 'a/b', 'a.b'])(
    'is rejected if it is %j',
    async (key) => {
      const service = inMemoryService();
      const response = await service.create(withIdempotencyKey(key));
      expect(response.status).toBe(400);
      const problem = problemBody.parse(response.body);
      expect(problem.type).toMatch(/idempotency-key-invalid$/);
      expect(problem.detail).toContain(`got ${JSON.stringify(key.slice(0, 40))}`);
      expect(await service.batchIds()).toHaveLength(0);
    },
  );

  it.each(['a', '-', '_', 'A-z_09', 'a'.repeat(255), `"${'a'.repeat(255)}"`])(
    'is accepted if it is %j',
    async (key) => {
      expect((await inMemoryService().create(withIdempotencyKey(key))).status).toBe(202);
    },
  );

  it('is stored with a digest of the request', async () => {
    const service = inMemoryService();
    await service.create(withIdempotencyKey('order-1'));
    const known = await service.stores.idempotencyKeys.find('alpha', 'order-1');
    expect(known?.digest).toMatch(/^[0-9a-f]{64}$/);
  });
});
