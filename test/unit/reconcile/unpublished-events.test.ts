import { describe, expect, it } from 'vitest';
import { addSeconds } from '../../../lambdas/domain/clock.ts';
import type { BatchFinished } from '../../../lambdas/domain/delivery/batch-finished.ts';
import type { BusEvent } from '../../../lambdas/domain/delivery/bus-outbox.ts';
import { reconcile } from '../../../lambdas/domain/reconcile/reconcile.ts';
import { inMemoryBusOutbox } from '../../../local/in-memory/bus-outbox.ts';
import { batch, DONE, event, IN_TIME, JOBS_DONE, NOW, world } from './reconcile-world.ts';

/** Events of that age, and a bus that may be down. */
function withEvents(ages: readonly number[], bus: { isDown: boolean } = { isDown: false }) {
  const events = new Map<string, BusEvent>();
  const batches = ages.map((age, i) => batch(`b-${i}`, age, DONE));
  for (const [i, age] of ages.entries()) {
    const batchId = `b-${i}`;
    events.set(batchId, { batchId, eventId: `e-${i}`, at: addSeconds(NOW, -age) });
  }
  const published: string[] = [];
  let puts = 0;
  const publishing = {
    batches: { read: async (id: string) => batches.find(({ batchId }) => batchId === id) ?? null },
    jobs: { list: async () => JOBS_DONE },
    busOutbox: inMemoryBusOutbox(events),
    bus: {
      async put({ event_id }: BatchFinished) {
        puts += 1;
        if (bus.isDown) throw new Error('the bus is down');
        published.push(event_id);
      },
    },
  };
  return { publishing, published, events, puts: () => puts };
}

describe('reconciling events for the bus', () => {
  it('publishes what the step that finishes a batch has left for half a minute', async () => {
    const { publishing, published } = withEvents([10, 31, 600]);
    expect(await reconcile(world({ publishing }).ports, IN_TIME)).toMatchObject({ published: 2 });
    expect(published.toSorted()).toEqual(['e-1', 'e-2']);
  });

  it('stops at a failure, reports it, and publishes everything once the bus is back', async () => {
    const bus = { isDown: true };
    const { publishing, published, puts } = withEvents(Array(100).fill(60), bus);
    const { ports } = world({ publishing });
    const first = await reconcile(ports, IN_TIME);
    expect(first.failures.length).toBeGreaterThan(0);
    expect(puts()).toBeLessThan(10);
    bus.isDown = false;
    for (let run = 0; run < 3; run++) await reconcile(ports, IN_TIME);
    expect(new Set(published).size).toBe(100);
  });

  it('delays neither webhooks nor batches', async () => {
    const { publishing } = withEvents([60], { isDown: true });
    const { ports, scheduled, started } = world({
      publishing,
      events: [event(300)],
      batches: [batch('b-1', 400, DONE), batch('lost', 300)],
      runs: { lost: 'absent' },
    });
    await reconcile(ports, IN_TIME);
    expect(scheduled).toHaveLength(1);
    expect(started).toHaveLength(1);
  });
});
