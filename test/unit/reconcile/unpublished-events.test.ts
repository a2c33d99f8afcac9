import { describe, expect, it } from 'vitest';
import { addSeconds } from '../../../lambdas/domain/clock.ts';
import type { BatchFinished } from '../../../lambdas/domain/delivery/batch-finished.ts';
import { reconcile } from '../../../lambdas/domain/reconcile/reconcile.ts';
import { batch, DELIVERED, DONE, event, IN_TIME, makeWorld, NOW } from './reconcile-world.ts';

async function makeWorldWithEvents(
  ages: readonly number[],
  bus: { isDown: boolean; neverTakes?: string } = { isDown: false },
  others: Parameters<typeof makeWorld>[0] = {},
) {
  const published: string[] = [];
  let puts = 0;
  const put = async ({ event_id }: BatchFinished) => {
    puts += 1;
    if (bus.isDown) throw new Error('the bus is down');
    if (bus.neverTakes === event_id) throw new Error('the bus rejects the event');
    published.push(event_id);
  };
  const { batches = [], ...rest } = others;
  const ended = ages.map((age, i) => batch(`b-${i}`, age, DONE));
  const made = await makeWorld({ ...rest, batches: [...ended, ...batches], bus: { put } });
  for (const [i, age] of ages.entries()) {
    const at = addSeconds(NOW, -age);
    await made.records.storeBusEvent({ batchId: `b-${i}`, eventId: `e-${i}`, at });
  }
  return { ...made, published, puts: () => puts };
}

describe('reconciling events for the bus', () => {
  it('publishes events that have been unpublished for half a minute', async () => {
    const { ports, published } = await makeWorldWithEvents([10, 31, 600]);
    expect(await reconcile(ports, IN_TIME)).toMatchObject({ published: 2 });
    expect(published.toSorted()).toEqual(['e-1', 'e-2']);
  });

  it('stops calling a bus that is down, and publishes everything once it is back', async () => {
    const bus = { isDown: true };
    const { ports, published, puts } = await makeWorldWithEvents(Array(100).fill(60), bus);
    const first = await reconcile(ports, IN_TIME);
    expect(first.unpublished.length).toBeGreaterThan(0);
    expect(first.failures).toEqual([]);
    expect(puts()).toBeLessThan(30);
    bus.isDown = false;
    for (let run = 0; run < 3; run++) await reconcile(ports, IN_TIME);
    expect(new Set(published).size).toBe(100);
  });

  it('publishes other events if one event fails every time, and counts the failure', async () => {
    const { ports, published } = await makeWorldWithEvents(Array(100).fill(60), {
      isDown: false,
      neverTakes: 'e-0',
    });
    const { unpublished, failures } = await reconcile(ports, IN_TIME);
    expect(published).toHaveLength(99);
    expect(unpublished.map(({ batchId }) => batchId)).toEqual(['b-0']);
    expect(failures).toEqual([]);
  });

  it('delays neither webhooks nor batches', async () => {
    const down = { isDown: true };
    const { ports, scheduled, started } = await makeWorldWithEvents([60], down, {
      events: [event(300)],
      batches: [batch(DELIVERED, 400, DONE), batch('b-bad', 300)],
      runs: { 'b-bad': 'absent' },
    });
    await reconcile(ports, IN_TIME);
    expect(scheduled).toHaveLength(1);
    expect(started).toHaveLength(1);
  });
});
