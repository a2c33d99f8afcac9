import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BatchStore } from '../../../lambdas/domain/batch/batch.ts';
import type { BatchQueue } from '../../../lambdas/domain/dispatch/batch-queue.ts';
import type { Slots } from '../../../lambdas/domain/dispatch/slots.ts';
import type { ScanPositions } from '../../../lambdas/domain/reconcile/index-scan.ts';
import { aBatch, anEnd } from '../domain/builders.ts';

const AT = '2026-03-01T10:00:00.000Z';

export interface DispatchStores {
  readonly batches: BatchStore;
  readonly slots: Slots;
  readonly batchQueue: BatchQueue;
  readonly scanPositions: ScanPositions;
}

/** Numbers that no other test of the same table uses. */
let numbers = 0;
const nextUnusedNumber = () => {
  numbers += 10;
  return numbers;
};

export function dispatchContract(name: string, open: () => DispatchStores): void {
  const aTenant = () => `tenant-${randomUUID()}`;
  const createWaitingBatch = async ({ batches }: DispatchStores, tenant = aTenant()) => {
    const batch = aBatch({ tenant });
    await batches.create(batch, null);
    return batch;
  };

  describe(`slots in ${name}`, () => {
    it('are held by the batch that claimed them, until it is final', async () => {
      const stores = open();
      const { batches, slots } = stores;
      const batch = await createWaitingBatch(stores);
      const slot = { ofAll: nextUnusedNumber(), ofTenant: 1 };
      expect(await slots.claim(batch, slot, AT)).toBe('claimed');
      expect(await batches.readBatch(batch.batch_id)).toMatchObject({
        slot: slot.ofAll,
        tenant_slot: slot.ofTenant,
        slot_claimed_at: AT,
        updated_at: AT,
      });
      const held = { ...slot, tenant: batch.tenant, batchId: batch.batch_id };
      expect(await slots.readHeld()).toContainEqual(held);
      await batches.finish(batch.batch_id, anEnd('failed', AT), null);
      expect(await slots.readHeld()).not.toContainEqual(held);
      expect((await batches.readBatch(batch.batch_id))?.slot).toBeUndefined();
      expect(await slots.claim(await createWaitingBatch(stores, batch.tenant), slot, AT)).toBe(
        'claimed',
      );
    });

    it('go to only one of many batches that claim the same slot, of one tenant or of several', async () => {
      const stores = open();
      const tenant = aTenant();
      const mine = await Promise.all([1, 2, 3].map(() => createWaitingBatch(stores, tenant)));
      const others = await Promise.all([1, 2, 3].map(() => createWaitingBatch(stores)));
      const first = nextUnusedNumber();
      const ofTenant = await Promise.all(
        mine.map((batch, i) => stores.slots.claim(batch, { ofAll: first + i, ofTenant: 0 }, AT)),
      );
      expect(ofTenant.toSorted()).toEqual(['claimed', 'slot-taken', 'slot-taken']);
      const number = nextUnusedNumber();
      const ofAll = await Promise.all(
        others.map((batch) => stores.slots.claim(batch, { ofAll: number, ofTenant: 0 }, AT)),
      );
      expect(ofAll.toSorted()).toEqual(['claimed', 'slot-taken', 'slot-taken']);
    });

    it('are given to a batch once, however many dispatchers claim slots for it', async () => {
      const stores = open();
      const batch = await createWaitingBatch(stores);
      const first = nextUnusedNumber();
      const claims = await Promise.all(
        [0, 1, 2].map((i) => stores.slots.claim(batch, { ofAll: first + i, ofTenant: i }, AT)),
      );
      expect(claims.toSorted()).toEqual(['claimed', 'not-waiting', 'not-waiting']);
      const held = await stores.slots.readHeld();
      expect(held.filter(({ batchId }) => batchId === batch.batch_id)).toHaveLength(1);
    });

    it('are not given to a batch that is being cancelled, is final or does not exist', async () => {
      const stores = open();
      const slot = { ofAll: nextUnusedNumber(), ofTenant: 0 };
      const cancelled = await createWaitingBatch(stores);
      await stores.batches.requestCancel(cancelled.batch_id, AT);
      const final = await createWaitingBatch(stores);
      await stores.batches.finish(final.batch_id, anEnd('failed', AT), null);
      for (const batch of [cancelled, final, aBatch()]) {
        expect(await stores.slots.claim(batch, slot, AT)).toBe('not-waiting');
      }
    });

    it('are free again after their batch finishes, whenever they were claimed', async () => {
      const stores = open();
      const batches = await Promise.all(
        Array.from({ length: 6 }, () => createWaitingBatch(stores)),
      );
      const first = nextUnusedNumber();
      await Promise.all(
        batches.flatMap((batch, i) => [
          stores.slots.claim(batch, { ofAll: first + i, ofTenant: 0 }, AT),
          stores.batches.finish(batch.batch_id, anEnd('failed', AT), null),
        ]),
      );
      const held = await stores.slots.readHeld();
      const ids = batches.map(({ batch_id: batchId }) => batchId);
      expect(held.filter(({ batchId }) => ids.includes(batchId))).toEqual([]);
    });

    it('are not freed for a batch that no longer holds them', async () => {
      const stores = open();
      const batch = await createWaitingBatch(stores);
      const slot = { ofAll: nextUnusedNumber(), ofTenant: 0 };
      await stores.slots.claim(batch, slot, AT);
      await stores.batches.finish(batch.batch_id, anEnd('failed', AT), null);
      const next = await createWaitingBatch(stores, batch.tenant);
      await stores.slots.claim(next, slot, AT);
      const { batch_id: batchId, tenant } = batch;
      expect(await stores.slots.free({ ...slot, batchId, tenant })).toBe('unchanged');
      expect((await stores.slots.readHeld()).map((held) => held.batchId)).toContain(next.batch_id);
    });
  });

  describe(`the queue of batches in ${name}`, () => {
    it('is in order of creation, with each batch once', async () => {
      const { batchQueue } = open();
      const tenant = aTenant();
      const [first, second, third] = [0, 1, 2].map((i) =>
        aBatch({ tenant, total_jobs: i + 1 }, new Date(Date.now() + i * 1_000)),
      );
      if (!(first && second && third)) throw new Error('three batches were created');
      for (const batch of [second, first, third, first]) await batchQueue.enqueue(batch);
      const ids = async (count: number) =>
        (await batchQueue.readFirst(tenant, count)).map(({ batch_id: batchId }) => batchId);
      expect(await ids(10)).toEqual([first.batch_id, second.batch_id, third.batch_id]);
      expect(await batchQueue.readFirst(tenant, 1)).toEqual([
        { batch_id: first.batch_id, total_jobs: 1, copies: false },
      ]);
      await batchQueue.remove(tenant, first.batch_id);
      await batchQueue.remove(tenant, first.batch_id);
      expect(await ids(2)).toEqual([second.batch_id, third.batch_id]);
      expect(await batchQueue.contains(tenant, first.batch_id)).toBe(false);
      expect(await batchQueue.contains(tenant, third.batch_id)).toBe(true);
    });

    it('lists each tenant once by name, starting after any name', async () => {
      const { batchQueue } = open();
      const prefix = `line-${randomUUID()}`;
      const names = ['a', 'a-b', 'b', 'c'].map((name) => `${prefix}-${name}`);
      for (const tenant of [...names, ...names].toReversed())
        await batchQueue.enqueue(aBatch({ tenant }));
      const listTenants = async (after: string, count: number) =>
        (await batchQueue.readTenants(after, count)).map(({ tenant }) => tenant);
      expect(await listTenants(prefix, 4)).toEqual(names);
      expect(await listTenants(`${prefix}-a`, 2)).toEqual([names[1], names[2]]);
      expect(await listTenants(`${prefix}-bb`, 1)).toEqual([names[3]]);
    });

    it('removes a tenant unless a batch of the tenant was added in the meantime', async () => {
      const { batchQueue } = open();
      const tenant = aTenant();
      const batch = aBatch({ tenant });
      await batchQueue.enqueue(batch);
      const seen = { tenant, latest: batch.batch_id };
      await batchQueue.remove(tenant, batch.batch_id);
      const later = aBatch({ tenant });
      await batchQueue.enqueue(later);
      expect(await batchQueue.removeTenant(seen)).toBe('unchanged');
      expect(await batchQueue.contains(tenant, later.batch_id)).toBe(true);
      await batchQueue.remove(tenant, later.batch_id);
      expect(await batchQueue.removeTenant({ tenant, latest: later.batch_id })).toBe('changed');
      expect(await batchQueue.contains(tenant, later.batch_id)).toBe(false);
    });

    it('records only one of several concurrent changes to the tenant that was served last', async () => {
      const { batchQueue } = open();
      for (const tenants of [
        ['a', 'b', 'c'],
        ['d', 'e', 'f'],
      ]) {
        const turn = await batchQueue.readLastServed();
        const passed = await Promise.all(tenants.map((to) => batchQueue.setLastServed(turn, to)));
        expect(passed.filter((outcome) => outcome === 'changed')).toHaveLength(1);
        expect(tenants).toContain(await batchQueue.readLastServed());
      }
    });
  });

  describe(`an index scan in ${name}`, () => {
    it('advances once from each position, and starts over', async () => {
      const { scanPositions } = open();
      expect(await scanPositions.readPosition('unfinished')).toBeNull();
      const gone = await Promise.all(
        ['x', 'y'].map((position) => scanPositions.advance('unfinished', null, position)),
      );
      expect(gone.toSorted()).toEqual(['changed', 'unchanged']);
      const position = await scanPositions.readPosition('unfinished');
      expect(['x', 'y']).toContain(position);
      expect(await scanPositions.advance('unfinished', 'z', 'w')).toBe('unchanged');
      expect(await scanPositions.advance('unfinished', position, null)).toBe('changed');
      expect(await scanPositions.readPosition('unfinished')).toBeNull();
      expect(await scanPositions.advance('unfinished', null, 'v')).toBe('changed');
      expect(await scanPositions.readPosition('undelivered')).toBeNull();
    });

    it('returns every unfinished batch once, page by page', async () => {
      const { batches } = open();
      const begin = new Date('2026-01-05T00:00:00Z').getTime();
      const made = Array.from({ length: 230 }, (_, i) =>
        aBatch(
          { results_expire_at: new Date(Date.now() + 86_400_000).toISOString() },
          new Date(begin + i * 10),
        ),
      );
      for (const batch of made) await batches.create(batch, null);
      const span = { from: '2026-01-05T00:00:00.000Z', before: '2026-01-06T00:00:00.000Z' };
      const met: string[] = [];
      let position: string | null = null;
      let pages = 0;
      do {
        const { value: page } = await batches
          .unfinished(span, position)
          [Symbol.asyncIterator]()
          .next();
        met.push(...(page?.hints ?? []));
        position = page?.position ?? null;
        pages += 1;
      } while (position !== null);
      expect(pages).toBeGreaterThan(1);
      expect(met.toSorted()).toEqual(made.map(({ batch_id: batchId }) => batchId).toSorted());
    });
  });
}
