import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Stores } from '../../../lambdas/adapters/dynamodb/stores.ts';
import {
  type Charge,
  dayOf,
  MAX_BOUNDED_REFUND_PER_DAY,
  NOTHING,
} from '../../../lambdas/domain/admission/quota.ts';
import { LATER } from '../domain/begun-batch.ts';
import { aBatch, anEnd } from '../domain/builders.ts';

export function chargesContract(name: string, open: () => Stores): void {
  describe(`the charge of a batch in ${name}`, () => {
    const claim = (changes: Partial<Charge> = {}): Charge => ({
      day: dayOf(new Date().toISOString()),
      wanted: { jobs: 3, squareMetres: 25_001 },
      limit: { jobs: 9, squareMetres: 100_000 },
      idempotency: null,
      ...changes,
    });
    const aTenant = () => `tenant-${randomUUID()}`;

    it('is counted to the square metre, until the quota is used up', async () => {
      const { batches, quotas } = open();
      const tenant = aTenant();
      const mine = claim();
      const outcomes = [];
      for (let i = 0; i < 4; i++) {
        outcomes.push(await batches.create(aBatch({ tenant }), null, mine));
      }
      expect(outcomes).toEqual(['created', 'created', 'created', 'over-quota']);
      const used = { jobs: 9, squareMetres: 75_003 };
      const refunded = { jobs: 0, squareMetres: 0 };
      expect(await quotas.use(tenant, mine.day)).toEqual({ used, refunded });
    });

    it('is limited by area, but not by the charges of another day', async () => {
      const { batches } = open();
      const tenant = aTenant();
      const wide = claim({ wanted: { jobs: 1, squareMetres: 60_000 } });
      expect(await batches.create(aBatch({ tenant }), null, wide)).toBe('created');
      expect(await batches.create(aBatch({ tenant }), null, wide)).toBe('over-quota');
      const tomorrow = { ...wide, day: '2099-01-01' };
      expect(await batches.create(aBatch({ tenant }), null, tomorrow)).toBe('created');
    });

    it('is rejected even on an unused day if it exceeds the daily quota', async () => {
      const { batches, quotas } = open();
      const tenant = aTenant();
      for (const wanted of [
        { jobs: 10, squareMetres: 0 },
        { jobs: 1, squareMetres: 100_001 },
      ]) {
        const mine = claim({ wanted });
        expect(await batches.create(aBatch({ tenant }), null, mine)).toBe('over-quota');
        expect((await quotas.use(tenant, mine.day)).used).toEqual({ jobs: 0, squareMetres: 0 });
      }
    });

    it('leaves no batch behind if it exceeds the quota', async () => {
      const { batches } = open();
      const tenant = aTenant();
      const all = claim({ wanted: { jobs: 9, squareMetres: 0 } });
      await batches.create(aBatch({ tenant }), null, all);
      const late = aBatch({ tenant });
      await batches.create(late, '{}', all);
      expect(await batches.readBatch(late.batch_id)).toBeNull();
      expect(await batches.readMetadata(late.batch_id)).toBeNull();
    });

    it('is rejected because of a used idempotency key, even if the quota is used up too', async () => {
      const { batches, idempotencyKeys, quotas } = open();
      const tenant = aTenant();
      const idempotency = { key: 'order-1', digest: 'd'.repeat(64) };
      const all = claim({ wanted: { jobs: 9, squareMetres: 0 }, idempotency });
      const first = aBatch({ tenant });
      expect(await idempotencyKeys.find(tenant, 'order-1')).toBeNull();
      expect(await batches.create(first, null, all)).toBe('created');
      expect(await batches.create(aBatch({ tenant }), null, all)).toBe('key-taken');
      expect(await idempotencyKeys.find(tenant, 'order-1')).toEqual({
        digest: idempotency.digest,
        batchId: first.batch_id,
        createdAt: first.created_at,
      });
      expect((await quotas.use(tenant, all.day)).used.jobs).toBe(9);
      expect(await idempotencyKeys.find(aTenant(), 'order-1')).toBeNull();
    });

    it('may use an idempotency key again after a day', async () => {
      const { batches, idempotencyKeys } = open();
      const tenant = aTenant();
      const idempotency = { key: 'order-1', digest: 'd'.repeat(64) };
      const old = aBatch({ tenant }, new Date(Date.now() - 86_401_000));
      expect(await batches.create(old, null, claim({ idempotency }))).toBe('created');
      expect(await idempotencyKeys.find(tenant, 'order-1')).toBeNull();
      const young = aBatch({ tenant });
      expect(await batches.create(young, null, claim({ idempotency }))).toBe('created');
      const known = await idempotencyKeys.find(tenant, 'order-1');
      expect(known?.batchId).toBe(young.batch_id);
    });

    it('is refunded once', async () => {
      const { batches, quotas } = open();
      const tenant = aTenant();
      const mine = claim();
      const batch = aBatch({ tenant });
      await batches.create(batch, null, mine);
      const amount = { jobs: 2, squareMetres: 20_000 };
      const refund = { tenant, day: mine.day, amount, bounded: NOTHING };
      const outcome = anEnd('partial', LATER);
      await Promise.all([1, 2, 3].map(() => batches.finish(batch.batch_id, outcome, null, refund)));
      expect(await quotas.use(tenant, mine.day)).toEqual({
        used: { jobs: 1, squareMetres: 5_001 },
        refunded: refund.amount,
      });
    });

    it('has its bounded part refunded within the daily bound, and the rest always', async () => {
      const { batches, quotas } = open();
      const tenant = aTenant();
      const { day } = claim();
      const outcome = anEnd('failed', LATER);
      const endBatch = async (ours: number, bounded: number, squareMetres = bounded) => {
        const batch = aBatch({ tenant });
        await batches.create(batch, null);
        const refund = {
          tenant,
          day,
          amount: { jobs: ours, squareMetres: ours },
          bounded: { jobs: bounded, squareMetres },
        };
        expect(await batches.finish(batch.batch_id, outcome, null, refund)).toBe('finished');
        return (await quotas.use(tenant, day)).refunded.jobs;
      };
      const room = MAX_BOUNDED_REFUND_PER_DAY.jobs;
      expect(await endBatch(0, room - 2)).toBe(room - 2);
      expect(await endBatch(0, 1, MAX_BOUNDED_REFUND_PER_DAY.squareMetres + 1)).toBe(room - 2);
      expect(await endBatch(1, 3)).toBe(room - 1);
      expect(await endBatch(0, 1)).toBe(room);
      expect(await endBatch(0, 1)).toBe(room);
      expect(await endBatch(5, 1)).toBe(room + 5);
    });

    it('has its bounded part refunded within the daily bound even if batches end concurrently', async () => {
      const { batches, quotas } = open();
      const tenant = aTenant();
      const { day } = claim();
      const made = Array.from({ length: 4 }, () => aBatch({ tenant }));
      for (const batch of made) await batches.create(batch, null);
      const jobs = Math.floor(MAX_BOUNDED_REFUND_PER_DAY.jobs / 2);
      const bounded = { jobs, squareMetres: jobs };
      const refund = { tenant, day, amount: NOTHING, bounded };
      const outcome = anEnd('failed', LATER);
      const ends = made.map(({ batch_id: batchId }) =>
        batches.finish(batchId, outcome, null, refund),
      );
      expect(await Promise.all(ends)).toEqual(made.map(() => 'finished'));
      expect((await quotas.use(tenant, day)).refunded.jobs).toBe(2 * jobs);
    });
  });
}
