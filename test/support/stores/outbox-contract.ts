import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BatchStore } from '../../../lambdas/domain/batch/batch.ts';
import { addSeconds, timestamp } from '../../../lambdas/domain/clock.ts';
import type { OutboxEvent, OutboxStore } from '../../../lambdas/domain/delivery/outbox.ts';
import { aBatch } from '../domain/builders.ts';

const NOW = timestamp(new Date());
const LATER = addSeconds(NOW, 60);

interface OutboxStores {
  readonly batches: BatchStore;
  readonly outbox: OutboxStore;
}

/** How reminders are suppressed, in memory or in a table. */
export function outboxContract(name: string, open: () => OutboxStores): void {
  const dueEvent = async ({ batches }: OutboxStores): Promise<OutboxEvent> => {
    const batch = aBatch();
    await batches.create(batch, null);
    const event: OutboxEvent = {
      batchId: batch.batchId,
      event: 'batch.completed',
      eventId: randomUUID(),
      state: 'due',
      attempts: 0,
      nextAttemptAt: NOW,
    };
    await batches.finish(batch.batchId, { status: 'failed', completedAt: NOW }, event);
    return event;
  };
  const settled = async ({ outbox }: OutboxStores, event: OutboxEvent, after: OutboxEvent) => {
    const lease = { id: randomUUID(), until: LATER };
    await outbox.claim(event, lease, NOW);
    await outbox.settle(after, lease, {
      attempt: after.attempts,
      startedAt: NOW,
      durationMs: 1,
      bodyBytes: 1,
      nextAttemptAt: null,
      verdict: 'retry',
      statusCode: 500,
      reason: 'the receiver responded 500: temporary',
    });
  };

  describe(`a claim of an event in ${name}`, () => {
    it('succeeds for its holder when it is sent again, as after a lost response', async () => {
      const stores = open();
      const event = await dueEvent(stores);
      const [mine, another] = [
        { id: randomUUID(), until: LATER },
        { id: randomUUID(), until: LATER },
      ];
      expect(await stores.outbox.claim(event, mine, NOW)).toBe('changed');
      expect(await stores.outbox.claim(event, mine, NOW)).toBe('changed');
      expect(await stores.outbox.claim(event, another, NOW)).toBe('unchanged');
    });
  });

  describe(`a reminder of an event in ${name}`, () => {
    it('is granted once, and again after its interval', async () => {
      const stores = open();
      const event = await dueEvent(stores);
      const asked = await Promise.all(
        [1, 2, 3, 4].map(() => stores.outbox.remind(event, LATER, NOW)),
      );
      expect(asked.filter((result) => result === 'changed')).toHaveLength(1);
      expect(await stores.outbox.remind(event, addSeconds(LATER, 60), addSeconds(LATER, -1))).toBe(
        'unchanged',
      );
      expect(await stores.outbox.remind(event, addSeconds(LATER, 60), LATER)).toBe('changed');
    });

    it('does not change the event, which can still be claimed', async () => {
      const stores = open();
      const event = await dueEvent(stores);
      await stores.outbox.remind(event, LATER, NOW);
      expect(await stores.outbox.read(event.batchId, event.event)).toEqual(event);
      const lease = { id: randomUUID(), until: LATER };
      expect(await stores.outbox.claim(event, lease, NOW)).toBe('changed');
    });

    it('is not granted for an event that has advanced or is settled', async () => {
      const stores = open();
      const event = await dueEvent(stores);
      const next: OutboxEvent = { ...event, attempts: 1 };
      await settled(stores, event, next);
      expect(await stores.outbox.remind(event, LATER, NOW)).toBe('unchanged');
      const acknowledged: OutboxEvent = { ...next, attempts: 2, state: 'acknowledged' };
      await settled(stores, next, acknowledged);
      expect(await stores.outbox.remind(acknowledged, LATER, NOW)).toBe('unchanged');
    });

    it('is not granted for an event that was redelivered since it was read', async () => {
      const stores = open();
      const event = await dueEvent(stores);
      const before = { ...event, eventId: randomUUID() };
      expect(await stores.outbox.remind(before, LATER, NOW)).toBe('unchanged');
    });

    it('is no longer suppressed after an attempt', async () => {
      const stores = open();
      const event = await dueEvent(stores);
      await stores.outbox.remind(event, LATER, NOW);
      const next: OutboxEvent = { ...event, attempts: 1 };
      await settled(stores, event, next);
      expect(await stores.outbox.remind(next, LATER, NOW)).toBe('changed');
    });
  });
}
