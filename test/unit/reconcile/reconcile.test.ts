import { describe, expect, it } from 'vitest';
import { addSeconds } from '../../../lambdas/domain/clock.ts';
import {
  MAX_ITEMS_PER_SCAN,
  MAX_RUN_LOOKUPS,
  reconcile,
} from '../../../lambdas/domain/reconcile/reconcile.ts';
import { reconcileBatch } from '../../../lambdas/domain/reconcile/reconcile-batch.ts';
import {
  batch,
  DONE,
  IN_TIME,
  JOBS_DONE,
  makeWaitingBatch,
  makeWorld,
  NOW,
  PROCESSING,
} from './reconcile-world.ts';

describe('reconciling batches', () => {
  it('starts a batch that was never started', async () => {
    const { ports, started } = await makeWorld({ batches: [batch('b-1', 61)] });
    expect(await reconcile(ports, IN_TIME)).toMatchObject({
      started: 1,
      finished: 0,
      failures: [],
      unpublished: [],
    });
    expect(started).toEqual([['b-1', 3]]);
  });

  it('leaves a batch that changed in the last minute to its starter', async () => {
    const { ports, started } = await makeWorld({ batches: [batch('b-1', 59)] });
    await reconcile(ports, IN_TIME);
    expect(started).toEqual([]);
  });

  it('finishes a batch whose jobs are all final, without describing its run', async () => {
    const { ports, finished, looked } = await makeWorld({
      batches: [batch('b-1', 300, PROCESSING)],
      jobs: JOBS_DONE,
    });
    expect(await reconcile(ports, IN_TIME)).toMatchObject({ started: 0, finished: 1 });
    expect(finished).toEqual(['b-1']);
    expect(looked).toEqual([]);
  });

  it('does not describe the run of a batch whose jobs changed in the last minute', async () => {
    const busy = JOBS_DONE.slice(0, 1).map((job) => ({ ...job, updated_at: addSeconds(NOW, -5) }));
    const { ports, looked } = await makeWorld({
      batches: [batch('b-1', 300, PROCESSING)],
      jobs: busy,
    });
    expect(await reconcile(ports, IN_TIME)).toMatchObject({ seen: 1 });
    expect(looked).toEqual([]);
  });

  it('leaves a running batch alone', async () => {
    const { ports, started, finished } = await makeWorld({
      batches: [batch('b-1', 300, PROCESSING)],
      runs: { 'b-1': 'running' },
    });
    await reconcile(ports, IN_TIME);
    expect([started, finished]).toEqual([[], []]);
  });

  it('treats the index as a hint, and leaves a final batch alone', async () => {
    const { ports, started, finished } = await makeWorld({
      batches: [batch('b-1', 300, DONE)],
      runs: { 'b-1': 'ended' },
    });
    await reconcile(ports, IN_TIME);
    expect([started, finished]).toEqual([[], []]);
  });

  it('repairs other batches if one repair fails, and reports the failure', async () => {
    const { ports, finished } = await makeWorld({
      batches: [batch('b-1', 300, PROCESSING), batch('b-2', 200, PROCESSING)],
      jobs: JOBS_DONE,
      stubborn: ['b-1'],
    });
    const { failures } = await reconcile(ports, IN_TIME);
    expect(finished).toEqual(['b-2']);
    expect(failures).toEqual([{ batchId: 'b-1', error: new Error("b-1 can't be finished") }]);
  });

  it('repairs and dispatches even if an index cannot be read, and reports the failure', async () => {
    const { ports, started } = await makeWorld({
      batches: [batch('b-1', 120)],
      runs: { 'b-1': 'absent' },
    });
    const unreadable = async function* () {
      yield await Promise.reject<never>(new Error('the index is throttled'));
    };
    const dispatched: string[] = [];
    const { failures } = await reconcile(
      {
        ...ports,
        batches: { ...ports.batches, unfinished: unreadable },
        outbox: { ...ports.outbox, undelivered: unreadable },
        dispatch: async () => dispatched.push('once'),
      },
      IN_TIME,
    );
    expect(started).toEqual([['b-1', 3]]);
    expect(dispatched).toEqual(['once']);
    const error = new Error('the index is throttled');
    expect(failures).toEqual([
      { batchId: null, error },
      { batchId: null, error },
    ]);
  });

  it('repairs batches even if the slots cannot be read, and reports the failure', async () => {
    const { ports, started } = await makeWorld({ batches: [batch('b-1', 120)] });
    const error = new Error('the slots are throttled');
    const readHeld = () => Promise.reject(error);
    const { failures } = await reconcile(
      { ...ports, slots: { ...ports.slots, readHeld } },
      IN_TIME,
    );
    expect(started).toEqual([['b-1', 3]]);
    expect(failures).toEqual([{ batchId: null, error }]);
  });

  it('starts a batch that was never started and comes after a hundred running batches', async () => {
    const running = Array.from({ length: 100 }, (_, i) => batch(`b-${i}`, 3_600 - i, PROCESSING));
    const { ports, started } = await makeWorld({
      batches: [...running, batch('b-babe', 61)],
      runs: Object.fromEntries(running.map(({ batch_id: batchId }) => [batchId, 'running'])),
    });
    expect(await reconcile(ports, IN_TIME)).toMatchObject({ seen: 101, cutShort: false });
    expect(started).toEqual([['b-babe', 3]]);
  });

  it('starts no repair once its time is up, finishes those it started, and reports it', async () => {
    const batches = Array.from({ length: 100 }, (_, i) => batch(`b-${i}`, 300 - i));
    const { ports, started } = await makeWorld({ batches });
    const clock = () => (started.length === 0 ? new Date(NOW) : IN_TIME);
    const { seen, cutShort } = await reconcile({ ...ports, clock }, IN_TIME);
    expect(cutShort).toBe(true);
    expect(seen).toBeLessThan(batches.length);
    expect(started).toHaveLength(seen);
  });

  it('finishes a given batch even if it has just changed, and accepts an unknown batch', async () => {
    const { ports } = await makeWorld({ batches: [batch('b-1', 0, PROCESSING)], jobs: JOBS_DONE });
    expect(await reconcileBatch(ports, 'b-1')).toBe('finished');
    expect(await reconcileBatch(ports, 'b-2')).toBe('none');
  });

  it('describes a bounded number of runs per minute, but each run eventually', async () => {
    const waiting = Array.from({ length: 2.5 * MAX_RUN_LOOKUPS }, (_, i) => batch(`b-${i}`, 3_600));
    const running = Object.fromEntries(
      waiting.map(({ batch_id: batchId }) => [batchId, 'running' as const]),
    );
    const { ports, looked, time } = await makeWorld({ batches: waiting, runs: running });
    for (let minute = 0; minute < 3; minute++) {
      time.now = addSeconds(NOW, 60 * minute);
      const before = looked.length;
      expect((await reconcile(ports, new Date('2099-01-01'))).cutShort).toBe(true);
      expect(looked.length - before).toBe(MAX_RUN_LOOKUPS);
    }
    expect(new Set(looked).size).toBe(waiting.length);
  });
});

describe('reconciling queued batches', () => {
  it('queues a batch that was not dispatched, in its second minute, without starting it', async () => {
    const { ports, joined, started, looked } = await makeWorld({
      batches: [makeWaitingBatch('b-1', 61)],
    });
    expect(await reconcile(ports, IN_TIME)).toMatchObject({ joined: 1 });
    expect(await reconcile(ports, IN_TIME)).toMatchObject({ joined: 0 });
    expect([joined, started, looked]).toEqual([['b-1'], [], []]);
  });

  it('leaves a batch younger than a minute to the request that creates it', async () => {
    const { ports, joined } = await makeWorld({ batches: [makeWaitingBatch('b-1', 60)] });
    await reconcile(ports, IN_TIME);
    expect(joined).toEqual([]);
  });

  it('finds a lost batch behind thousands of waiting ones, queues it, and dispatches the queue', async () => {
    const line = Array.from({ length: 3 * MAX_ITEMS_PER_SCAN }, (_, i) =>
      makeWaitingBatch(`b-${i}`, 36_000 - i),
    );
    const lost = makeWaitingBatch('b-dead', 90);
    const { ports, joined } = await makeWorld({ batches: [...line, lost] });
    for (const { batch_id: batchId } of line)
      await ports.batchQueue.enqueue(makeWaitingBatch(batchId, 0));
    const {
      seen,
      joined: put,
      dispatched,
    } = await reconcile({ ...ports, dispatch: async () => 4 }, new Date('2099-01-01'));
    expect([put, dispatched, joined.at(-1)]).toEqual([1, 4, 'b-dead']);
    expect(seen).toBeLessThan(MAX_ITEMS_PER_SCAN + 200);
  });

  it('reaches each of thousands of batches within several runs, at a bounded cost per run', async () => {
    const line = Array.from({ length: 2.5 * MAX_ITEMS_PER_SCAN }, (_, i) =>
      makeWaitingBatch(`b-${i}`, 36_000 - i),
    );
    const { ports, joined } = await makeWorld({ batches: line });
    const late = new Date('2099-01-01');
    for (let run = 0; run < 3; run++) {
      expect((await reconcile(ports, late)).seen).toBeLessThan(MAX_ITEMS_PER_SCAN + 200);
    }
    expect(new Set(joined).size).toBe(line.length);
  });

  it('releases the slot of an ended batch, and reports if dispatching fails', async () => {
    const { ports } = await makeWorld({
      batches: [{ ...batch('b-1', 300, DONE), slot: 3, tenant_slot: 1 }],
    });
    const dispatch = () => Promise.reject(new Error('throttled'));
    const { freed: count, failures } = await reconcile({ ...ports, dispatch }, IN_TIME);
    expect([count, await ports.slots.readHeld()]).toEqual([1, []]);
    expect(failures).toEqual([{ batchId: null, error: new Error('throttled') }]);
  });
});
