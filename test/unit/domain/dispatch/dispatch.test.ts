import { describe, expect, it } from 'vitest';
import {
  dispatchAfterEnd,
  dispatchBatch,
  dispatchQueue,
  MAX_TENANTS_SCANNED,
} from '../../../../lambdas/domain/dispatch/dispatch.ts';
import { A_TENANT } from '../../../support/api/service.ts';
import { makeDispatchWorld } from './dispatch-world.ts';

describe('a new batch', () => {
  it('starts immediately while slots are free, without reading a queue', async () => {
    const world = makeDispatchWorld({ inAll: 3, perTenant: 2 });
    const batch = await world.make('a');
    await dispatchBatch(world.ports, batch);
    expect(world.started).toEqual([batch.batch_id]);
    expect(world.looks.batches).toBe(0);
    expect((await world.batches.readBatch(batch.batch_id))?.slot).toBeDefined();
  });

  it('waits in the queue if its tenant is at its limit, while batches of others start', async () => {
    const world = makeDispatchWorld({ inAll: 3, perTenant: 2 });
    for (const tenant of ['a', 'a', 'a', 'b']) {
      await dispatchBatch(world.ports, await world.make(tenant));
    }
    expect(await world.turns()).toEqual(['a', 'a', 'b']);
    expect(await world.batchQueue.readFirst('a', 10)).toHaveLength(1);
  });

  it('does not start before a waiting batch, even if it is dispatched twice', async () => {
    const world = makeDispatchWorld({ inAll: 1, perTenant: 1 });
    const [first, second, third] = [
      await world.make('a'),
      await world.make('b'),
      await world.make('c'),
    ];
    for (const batch of [first, second]) await dispatchBatch(world.ports, batch);
    await world.end(first.batch_id);
    await dispatchBatch(world.ports, third);
    await dispatchBatch(world.ports, third);
    expect(world.started).toEqual([first.batch_id, second.batch_id]);
    expect((await world.slots.readHeld()).map(({ batchId }) => batchId)).toEqual([second.batch_id]);
  });

  it('keeps its slot if the start fails, and starts when it is dispatched again', async () => {
    const world = makeDispatchWorld({ inAll: 1, perTenant: 1 });
    const batch = await world.make('a');
    world.faults.start = true;
    await dispatchBatch(world.ports, batch);
    expect(world.failed).toEqual([batch.batch_id]);
    world.faults.start = false;
    const known = await world.batches.readBatch(batch.batch_id);
    if (known !== null) await dispatchBatch(world.ports, known);
    expect(world.started).toEqual([batch.batch_id]);
    expect(await world.slots.readHeld()).toHaveLength(1);
  });

  it('is neither started nor queued again once it runs or has ended', async () => {
    const world = makeDispatchWorld({ inAll: 1, perTenant: 1 });
    const batch = await world.make('a');
    await dispatchBatch(world.ports, batch);
    const known = await world.batches.readBatch(batch.batch_id);
    const started_at = batch.created_at;
    for (const state of [
      { status: 'processing', started_at },
      { status: 'completed', started_at, completed_at: started_at, completed_jobs: 1 },
    ] as const) {
      await dispatchBatch(world.ports, { ...batch, ...known, ...state });
    }
    expect(world.started).toEqual([batch.batch_id]);
    expect(await world.batchQueue.readFirst('a', 10)).toEqual([]);
  });

  it('is queued if a concurrent batch takes its slot, and gets the next free slot', async () => {
    const world = makeDispatchWorld({ inAll: 1, perTenant: 1 });
    const [faster, slower] = [await world.make('a'), await world.make('b')];
    const { slots } = world;
    const readHeld = async () => {
      const held = await slots.readHeld();
      if (held.length === 0) await dispatchBatch(world.ports, faster);
      return held;
    };
    await dispatchBatch({ ...world.ports, slots: { ...slots, readHeld } }, slower);
    expect(world.started).toEqual([faster.batch_id]);
    await world.end(faster.batch_id);
    expect(await dispatchQueue(world.ports)).toBe(1);
    expect(world.started).toEqual([faster.batch_id, slower.batch_id]);
  });

  it('is not queued if it was cancelled before', async () => {
    const world = makeDispatchWorld({ inAll: 1, perTenant: 1 });
    const batch = await world.make('a');
    await world.batches.requestCancel(batch.batch_id, batch.created_at);
    await dispatchBatch(world.ports, batch);
    expect(world.started).toEqual([]);
    expect(await world.batchQueue.readFirst('a', 10)).toEqual([]);
  });

  it("uses its tenant's limit if one is set", async () => {
    const world = makeDispatchWorld({ inAll: 5, perTenant: 1 });
    await world.tenants.create({ ...A_TENANT, tenant: 'a', limits: { runningBatches: 3 } });
    for (const tenant of ['a', 'a', 'a', 'a', 'b', 'b']) {
      await dispatchBatch(world.ports, await world.make(tenant));
    }
    expect(await world.turns()).toEqual(['a', 'a', 'a', 'b']);
  });
});

describe('when a batch ends,', () => {
  it('tenants are served round-robin, however many batches a tenant has waiting', async () => {
    const world = makeDispatchWorld({ inAll: 1, perTenant: 1 });
    for (const tenant of ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'b', 'c']) {
      await dispatchBatch(world.ports, await world.make(tenant));
    }
    for (let ended = 0; ended < 8; ended++) {
      await world.end(world.started.at(-1) ?? '');
      await dispatchQueue(world.ports);
    }
    expect(await world.turns()).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a', 'a', 'a']);
    expect(await dispatchQueue(world.ports)).toBe(0);
  });

  it('the waiting tenant with the fewest slots is next, and ties are served round-robin', async () => {
    const world = makeDispatchWorld({ inAll: 4, perTenant: 4 });
    for (const tenant of ['a', 'a', 'a', 'b', 'a', 'b', 'c', 'd']) {
      await dispatchBatch(world.ports, await world.make(tenant));
    }
    for (const ended of [0, 1, 2, 4]) {
      await world.end(world.started[ended] ?? '');
      await dispatchQueue(world.ports);
    }
    expect(await world.turns()).toEqual(['a', 'a', 'a', 'b', 'c', 'd', 'a', 'b']);
  });

  it('at most ten queued batches are read before another tenant’s first batch starts, even if one tenant has ten thousand', async () => {
    const world = makeDispatchWorld({ inAll: 1, perTenant: 1 });
    const running = await world.make('a');
    await dispatchBatch(world.ports, running);
    for (let i = 0; i < 10_000; i++) await world.batchQueue.enqueue(await world.make('a'));
    const other = await world.make('b');
    await dispatchBatch(world.ports, other);
    await world.batchQueue.setLastServed(await world.batchQueue.readLastServed(), 'a');
    await world.end(running.batch_id);
    world.looks.batches = 0;
    await dispatchQueue(world.ports);
    expect(world.started).toEqual([running.batch_id, other.batch_id]);
    expect(world.looks.batches).toBeLessThanOrEqual(10);
  }, 60_000);

  it('a bounded number of tenants that may not start a batch is read, and the next dispatch continues after them', async () => {
    const world = makeDispatchWorld({ inAll: 2 * MAX_TENANTS_SCANNED, perTenant: 1 });
    const name = (i: number) => `t-${String(i).padStart(4, '0')}`;
    const full = Array.from({ length: MAX_TENANTS_SCANNED + 20 }, (_, i) => name(i));
    for (const tenant of full) {
      const runs = await world.make(tenant);
      await world.slots.claim(runs, { ofAll: full.indexOf(tenant), ofTenant: 0 }, runs.created_at);
      await world.batchQueue.enqueue(await world.make(tenant));
    }
    const last = await world.make('z-behind-them-all');
    await world.batchQueue.enqueue(last);
    expect(await dispatchQueue(world.ports)).toBe(0);
    expect(world.looks.tenants).toBeLessThanOrEqual(MAX_TENANTS_SCANNED);
    expect(await dispatchQueue(world.ports)).toBe(1);
    expect(world.started).toEqual([last.batch_id]);
  }, 60_000);

  it('entries of cancelled batches are removed from the queue, and the next batch starts', async () => {
    const world = makeDispatchWorld({ inAll: 1, perTenant: 1 });
    const running = await world.make('a');
    await dispatchBatch(world.ports, running);
    const gone = [];
    for (let i = 0; i < 25; i++) {
      const batch = await world.make('a');
      await dispatchBatch(world.ports, batch);
      gone.push(batch);
    }
    const next = await world.make('a');
    await dispatchBatch(world.ports, next);
    for (const { batch_id: batchId } of gone) {
      await world.batches.requestCancel(batchId, '2026-03-01T12:00:00.000Z');
    }
    await world.end(running.batch_id);
    await dispatchQueue(world.ports);
    expect(world.started).toEqual([running.batch_id, next.batch_id]);
    expect(await world.batchQueue.readFirst('a', 10)).toEqual([]);
  });

  it('hundreds of cancelled batches of one tenant do not delay other tenants', async () => {
    const world = makeDispatchWorld({ inAll: 1, perTenant: 1 });
    const running = await world.make('b');
    await dispatchBatch(world.ports, running);
    for (let i = 0; i < 300; i++) {
      const batch = await world.make('a');
      await world.batchQueue.enqueue(batch);
      await world.batches.requestCancel(batch.batch_id, '2026-03-01T12:00:00.000Z');
    }
    const next = await world.make('b');
    await dispatchBatch(world.ports, next);
    await world.end(running.batch_id);
    expect(await dispatchQueue(world.ports)).toBe(1);
    expect(world.started).toEqual([running.batch_id, next.batch_id]);
  });

  it('no batch starts after the deadline of the dispatch', async () => {
    const world = makeDispatchWorld({ inAll: 9, perTenant: 9 });
    for (let i = 0; i < 5; i++) await world.batchQueue.enqueue(await world.make('a'));
    expect(await dispatchQueue(world.ports, 9, () => world.started.length >= 2)).toBe(2);
    expect(world.started).toHaveLength(2);
  });

  it('a failed dispatch is reported, not thrown', async () => {
    const world = makeDispatchWorld({ inAll: 1, perTenant: 1 });
    const broken = {
      ...world.ports,
      slots: { ...world.slots, readHeld: () => Promise.reject(new Error('throttled')) },
    };
    const left: string[] = [];
    await dispatchAfterEnd(broken, 'ended', (batchId) => left.push(batchId));
    expect(left).toEqual(['ended']);
  });

  it('a waiting batch that was cancelled is not started', async () => {
    const world = makeDispatchWorld({ inAll: 1, perTenant: 1 });
    const [running, waiting] = [await world.make('a'), await world.make('b')];
    for (const batch of [running, waiting]) await dispatchBatch(world.ports, batch);
    await world.batches.requestCancel(waiting.batch_id, '2026-03-01T12:00:00.000Z');
    await world.end(waiting.batch_id);
    await world.end(running.batch_id);
    expect(await dispatchQueue(world.ports)).toBe(0);
    expect(world.started).toEqual([running.batch_id]);
    expect(await world.batchQueue.readTenants(null, 10)).toEqual([]);
  });
});

describe('when a limit is lowered,', () => {
  it('running batches continue, and no batch starts until fewer run', async () => {
    const world = makeDispatchWorld({ inAll: 4, perTenant: 4 });
    for (let i = 0; i < 4; i++) await dispatchBatch(world.ports, await world.make('a'));
    const late = await world.make('a');
    const lowered = { ...world.ports, runningLimits: { inAll: 2, reserved: 0, perTenant: 2 } };
    await dispatchBatch(lowered, late);
    const [one = '', two = '', three = ''] = world.started;
    for (const batchId of [one, two]) await world.end(batchId);
    expect(await dispatchQueue(lowered)).toBe(0);
    await world.end(three);
    expect(await dispatchQueue(lowered)).toBe(1);
  });
});
