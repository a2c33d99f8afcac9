import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BatchStore } from '../../../lambdas/domain/batch/batch.ts';
import { addSeconds, timestamp } from '../../../lambdas/domain/clock.ts';
import type { BusEvent, BusOutbox } from '../../../lambdas/domain/delivery/bus-outbox.ts';
import type { OutboxEvent, OutboxStore } from '../../../lambdas/domain/delivery/outbox.ts';
import { everyOne } from '../../../local/in-memory/pages.ts';
import { aBatch } from '../domain/builders.ts';

const NOW = timestamp(new Date());
const LATER = addSeconds(NOW, 60);

interface OutboxStores {
  readonly batches: BatchStore;
  readonly outbox: OutboxStore;
  readonly busOutbox: BusOutbox;
}

/** How reminders are suppressed and events published, in memory or in a table. */
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

  describe(`an event for the bus in ${name}`, () => {
    const finished = async ({ batches }: OutboxStores): Promise<BusEvent> => {
      const { batchId } = aBatch();
      await batches.create(aBatch({ batchId }), null);
      const busEvent = { batchId, eventId: randomUUID(), at: NOW };
      const end = { status: 'failed', completedAt: NOW, busEvent } as const;
      // Of two that finish it, one writes its event.
      await Promise.all([1, 2].map(() => batches.finish(batchId, end, null)));
      return busEvent;
    };

    it('is found until it is published, which happens once', async () => {
      const stores = open();
      const event = await finished(stores);
      const { busOutbox } = stores;
      expect(await busOutbox.readUnpublished(event.batchId)).toEqual(event);
      expect(await everyOne(busOutbox.unpublished(LATER, null))).toContain(event.batchId);
      expect(await everyOne(busOutbox.unpublished(NOW, null))).not.toContain(event.batchId);
      const marks = await Promise.all([1, 2].map(() => busOutbox.markPublished(event)));
      expect(marks.toSorted()).toEqual(['changed', 'unchanged']);
      expect(await busOutbox.readUnpublished(event.batchId)).toBeNull();
      expect(await everyOne(busOutbox.unpublished(LATER, null))).not.toContain(event.batchId);
    });

    it('is no webhook, and a webhook is no event', async () => {
      const stores = open();
      const { batchId } = await finished(stores);
      expect(await stores.outbox.read(batchId, 'batch.completed')).toBeNull();
      const hints = await everyOne(stores.outbox.undelivered(LATER, null));
      expect(hints.map((hint) => hint.batchId)).not.toContain(batchId);
      const webhook = await dueEvent(stores);
      expect(await stores.busOutbox.readUnpublished(webhook.batchId)).toBeNull();
    });
  });

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
