import { describe, expect, it } from 'vitest';
import { dispatchBatch, dispatchQueue } from '../../../../lambdas/domain/dispatch/dispatch.ts';
import { chooseSlot } from '../../../../lambdas/domain/dispatch/slots.ts';
import { makeDispatchWorld } from './dispatch-world.ts';

describe('reserved slots', () => {
  const limits = { inAll: 5, reserved: 2, perTenant: 3 };

  it('are not used by tenants with a running batch; other tenants take one each', async () => {
    const world = makeDispatchWorld(limits);
    for (const tenant of ['a', 'b', 'a', 'a', 'b', 'c', 'c', 'd', 'e']) {
      await dispatchBatch(world.ports, await world.make(tenant));
    }
    expect(await world.turns()).toEqual(['a', 'b', 'a', 'c', 'd']);
  });

  it('are at most one per tenant, however many dispatchers read the slots at the same time', async () => {
    const world = makeDispatchWorld(limits);
    for (const tenant of ['a', 'b', 'b']) {
      await dispatchBatch(world.ports, await world.make(tenant));
    }
    // Dispatchers that run at the same time read the slots before the newcomer has any.
    const stale = await world.slots.readHeld();
    const claims = [];
    for (let i = 0; i < 4; i++) {
      const batch = await world.make('new');
      const slot = chooseSlot(stale, batch, limits);
      if (slot !== null) claims.push(await world.slots.claim(batch, slot, batch.created_at));
    }
    expect(claims).toEqual(['claimed', 'slot-taken', 'slot-taken', 'slot-taken']);
  });

  it('go to waiting tenants without a running batch, even if more such tenants have started than slots are reserved', async () => {
    const world = makeDispatchWorld(limits);
    const running = [];
    for (const tenant of ['a', 'b', 'c', 'd', 'e', 'a', 'b', 'f', 'g']) {
      const batch = await world.make(tenant);
      await dispatchBatch(world.ports, batch);
      running.push(batch);
    }
    for (const { batch_id: batchId } of running.slice(2, 4)) {
      await world.end(batchId);
      await dispatchQueue(world.ports);
    }
    expect(await world.turns()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  it('cause no reads of tenants that may not take them', async () => {
    const world = makeDispatchWorld(limits);
    const found: string[] = [];
    const tenants = {
      find: (tenant: string) => {
        found.push(tenant);
        return world.tenants.find(tenant);
      },
    };
    for (const tenant of ['a', 'a', 'b']) {
      await dispatchBatch(world.ports, await world.make(tenant));
    }
    for (const tenant of ['a', 'b']) await world.batchQueue.enqueue(await world.make(tenant));
    expect(await dispatchQueue({ ...world.ports, tenants })).toBe(0);
    expect(found).toEqual([]);
  });
});
