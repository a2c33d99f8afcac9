import { describe, expect, it } from 'vitest';
import { dynamoBusOutbox } from '../../../lambdas/adapters/dynamodb/bus-outbox.ts';
import { addSeconds } from '../../../lambdas/domain/clock.ts';
import type { BatchFinished } from '../../../lambdas/domain/delivery/batch-finished.ts';
import { reconcile } from '../../../lambdas/domain/reconcile/reconcile.ts';
import { inMemoryTable } from '../../../local/in-memory/dynamodb/table.ts';
import { storedRecords } from '../../support/stores/stored-records.ts';
import { batch, DONE, event, IN_TIME, JOBS_DONE, NOW, world } from './reconcile-world.ts';

/** Events of that age, and a bus that may be down. */
async function withEvents(
  ages: readonly number[],
  bus: { isDown: boolean; neverTakes?: string } = { isDown: false },
) {
  const table = inMemoryTable(() => IN_TIME);
  const batches = ages.map((age, i) => batch(`b-${i}`, age, DONE));
  for (const [i, age] of ages.entries()) {
    const batchId = `b-${i}`;
    const event = { batchId, eventId: `e-${i}`, at: addSeconds(NOW, -age) };
    await storedRecords(table).storeBusEvent(event);
  }
  const published: string[] = [];
  let puts = 0;
  const publishing = {
    batches: { read: async (id: string) => batches.find(({ batchId }) => batchId === id) ?? null },
    jobs: { list: async () => JOBS_DONE },
    busOutbox: dynamoBusOutbox(table),
    bus: {
      async put({ event_id }: BatchFinished) {
        puts += 1;
        if (bus.isDown) throw new Error('the bus is down');
        if (bus.neverTakes === event_id) throw new Error('the bus does not take it');
        published.push(event_id);
      },
    },
  };
  return { publishing, published, puts: () => puts };
}

describe('reconciling events for the bus', () => {
  it('publishes what the step that finishes a batch has left for half a minute', async () => {
    const { publishing, published } = await withEvents([10, 31, 600]);
    expect(await reconcile(world({ publishing }).ports, IN_TIME)).toMatchObject({ published: 2 });
    expect(published.toSorted()).toEqual(['e-1', 'e-2']);
  });

  it('leaves a bus alone that is down, and publishes everything once it is back', async () => {
    const bus = { isDown: true };
    const { publishing, published, puts } = await withEvents(Array(100).fill(60), bus);
    const { ports } = world({ publishing });
    const first = await reconcile(ports, IN_TIME);
    expect(first.unpublished.length).toBeGreaterThan(0);
    expect(first.failures).toEqual([]);
    expect(puts()).toBeLessThan(30);
    bus.isDown = false;
    for (let run = 0; run < 3; run++) await reconcile(ports, IN_TIME);
    expect(new Set(published).size).toBe(100);
  });

  it('publishes the others when one event fails each time, and counts it', async () => {
    const { publishing, published } = await withEvents(Array(100).fill(60), {
      isDown: false,
      neverTakes: 'e-0',
    });
    const { ports } = world({ publishing });
    const { unpublished, failures } = await reconcile(ports, IN_TIME);
    expect(published).toHaveLength(99);
    expect(unpublished.map(({ batchId }) => batchId)).toEqual(['b-0']);
    expect(failures).toEqual([]);
  });

  it('delays neither webhooks nor batches', async () => {
    const { publishing } = await withEvents([60], { isDown: true });
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
