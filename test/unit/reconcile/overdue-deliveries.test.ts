import { describe, expect, it } from 'vitest';
import { addSeconds } from '../../../lambdas/domain/clock.ts';
import { reconcile } from '../../../lambdas/domain/reconcile/reconcile.ts';
import { reconcileEvent } from '../../../lambdas/domain/reconcile/reconcile-event.ts';
import { pageThroughHints } from './pages.ts';
import { batch, DELIVERED, DONE, event, IN_TIME, makeWorld, NOW } from './reconcile-world.ts';

describe('reconciling deliveries', () => {
  it('schedules the next attempt of an event overdue for more than two minutes', async () => {
    const { ports, scheduled } = await makeWorld({
      batches: [batch(DELIVERED, 300, DONE)],
      events: [event(121)],
    });
    expect(await reconcile(ports, IN_TIME)).toMatchObject({ scheduled: 1 });
    const message = { batch_id: DELIVERED, event: 'batch.completed', attempt: 3 };
    expect(scheduled).toEqual([[message, 0, 'farm']]);
  });

  it('queues a delivery 6 to 14 times a day if its attempts die before they are recorded', async () => {
    const { ports, scheduled, time } = await makeWorld({
      batches: [batch(DELIVERED, 300, DONE)],
      events: [event(120)],
    });
    const minutes = 24 * 60;
    for (let minute = 0; minute < minutes; minute++) {
      time.now = addSeconds(NOW, 60 * minute);
      await reconcile(ports, new Date('2099-01-01'));
    }
    expect(scheduled.length).toBeGreaterThan(5);
    expect(scheduled.length).toBeLessThan(15);
  });

  it('retries a delivery that waits for a signing key at least every four minutes', async () => {
    const waiting = event(0);
    const { ports, records, scheduled, time } = await makeWorld({
      batches: [batch(DELIVERED, 300, DONE)],
      events: [waiting],
    });
    const looks: number[] = [];
    for (let minute = 0; minute <= 60; minute++) {
      time.now = addSeconds(NOW, 60 * minute);
      await reconcile(ports, new Date('2099-01-01'));
      if (scheduled.length === looks.length) continue;
      looks.push(minute);
      // `OutboxStore.release` leaves the delivery due, without a claimed requeue.
      await records.storeEvent({ ...waiting, next_attempt_at: addSeconds(time.now, 1) });
    }
    const waits = looks.map((minute, i) => minute - (looks[i - 1] ?? 0));
    expect(looks.length).toBeGreaterThan(15);
    expect(Math.max(...waits)).toBeLessThan(4);
  });

  it("takes at most half of the reconciler's time, so that a slow queue does not delay batches", async () => {
    const events = Array.from({ length: 20 }, (_, i) => ({
      ...event(300),
      batch_id: `${DELIVERED.slice(0, -2)}${i + 10}`,
    }));
    const delivered = events.map(({ batch_id: id }) => batch(id, 400, DONE));
    const { ports, started, time } = await makeWorld({
      batches: [...delivered, batch('b-bad', 300)],
      runs: { 'b-bad': 'absent' },
      events,
    });
    const deliveryQueue = {
      enqueue: async () => {
        time.now = addSeconds(time.now, 5);
      },
    };
    const { cutShort } = await reconcile(
      { ...ports, deliveryQueue },
      new Date(addSeconds(NOW, 90)),
    );
    expect(cutShort).toBe(true);
    expect(started).toEqual([['b-bad', 3]]);
  });

  it.each([
    ['overdue for less than two minutes', event(119)],
    ['acknowledged, though the index still lists it', event(300, 'acknowledged')],
    ['given up', event(300, 'exhausted')],
  ])('leaves a delivery alone that is %s', async (_case, left) => {
    const { ports, scheduled } = await makeWorld({
      batches: [batch(DELIVERED, 300, DONE)],
      events: [left],
    });
    await reconcile(ports, IN_TIME);
    expect(scheduled).toEqual([]);
  });

  it.each([
    ['a delivery that has been postponed', event(119), 300],
    ['a delivery whose batch has expired', event(300), null],
  ])('treats the index as a hint, and leaves %s alone', async (_case, known, batchAge) => {
    const { ports, scheduled } = await makeWorld({
      batches: batchAge === null ? [] : [batch(DELIVERED, batchAge, DONE)],
      events: [known],
    });
    const { batch_id: batchId, event: name } = known;
    const undelivered = () => pageThroughHints([{ batchId, event: name }]);
    const { failures } = await reconcile(
      { ...ports, outbox: { ...ports.outbox, undelivered } },
      IN_TIME,
    );
    expect([scheduled, failures]).toEqual([[], []]);
  });

  it('schedules a delivery that is overdue for exactly two minutes', async () => {
    const { ports } = await makeWorld({
      batches: [batch(DELIVERED, 300, DONE)],
      events: [event(120)],
    });
    expect(await reconcileEvent(ports, { batchId: DELIVERED, event: 'batch.completed' }, NOW)).toBe(
      'scheduled',
    );
  });
});
