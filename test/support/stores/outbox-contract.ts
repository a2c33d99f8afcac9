import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BatchStore } from '../../../lambdas/domain/batch/batch.ts';
import { addSeconds, timestamp } from '../../../lambdas/domain/clock.ts';
import type { BusEvent, BusOutbox } from '../../../lambdas/domain/delivery/bus-outbox.ts';
import type {
  DeliveryLog,
  Lease,
  OutboxEvent,
  OutboxStore,
} from '../../../lambdas/domain/delivery/outbox.ts';
import type { LoggedAttempt } from '../../../lambdas/domain/delivery/outcome.ts';
import type { Redeliveries } from '../../../lambdas/domain/delivery/redelivery.ts';
import { aBatch, anEnd } from '../domain/builders.ts';
import { collectHints } from './every-hint.ts';

const NOW = timestamp(new Date());
const LATER = addSeconds(NOW, 30);

function lease(until = LATER): Lease {
  return { id: randomUUID(), until };
}

function failedAttempt(
  { event, event_id }: OutboxEvent,
  attempt: number,
  retry_at: string | null,
): LoggedAttempt {
  return {
    event,
    event_id,
    attempt,
    verdict: 'retry',
    reason: 'the receiver responded with 500: temporary',
    status_code: 500,
    started_at: NOW,
    duration_ms: 12,
    body_bytes: 842,
    retry_at,
  };
}

interface OutboxStores {
  readonly batches: BatchStore;
  readonly outbox: OutboxStore & Redeliveries & DeliveryLog;
  readonly busOutbox: BusOutbox;
}

export function outboxContract(name: string, open: () => OutboxStores): void {
  const dueEvent = async ({ batches }: OutboxStores): Promise<OutboxEvent> => {
    const batch = aBatch();
    await batches.create(batch, null);
    const event: OutboxEvent = {
      batch_id: batch.batch_id,
      event: 'batch.completed',
      event_id: randomUUID(),
      state: 'due',
      attempts: 0,
      next_attempt_at: NOW,
    };
    await batches.finish(batch.batch_id, anEnd('failed', NOW), event);
    return event;
  };
  const recordAttempt = async (
    { outbox }: OutboxStores,
    event: OutboxEvent,
    after: OutboxEvent,
  ) => {
    const mine = lease();
    await outbox.claim(event, mine, NOW);
    await outbox.recordAttempt(after, mine, failedAttempt(after, after.attempts, null));
  };
  const isListed = async ({ outbox }: OutboxStores, { batch_id: batchId }: OutboxEvent) => {
    const hints = await collectHints(outbox.undelivered(addSeconds(NOW, 86_400), null));
    return hints.some((hint) => hint.batchId === batchId);
  };

  describe(`an event for the bus in ${name}`, () => {
    const finishWithEvent = async ({ batches }: OutboxStores): Promise<BusEvent> => {
      const { batch_id: batchId } = aBatch();
      await batches.create(aBatch({ batch_id: batchId }), null);
      const busEvent = { batchId, eventId: randomUUID(), at: NOW };
      const end = { ...anEnd('failed', NOW), busEvent };
      // Only one of the two calls that finish the batch writes its event.
      await Promise.all([1, 2].map(() => batches.finish(batchId, end, null)));
      return busEvent;
    };

    it('is found until it is published, which happens once', async () => {
      const stores = open();
      const event = await finishWithEvent(stores);
      const { busOutbox } = stores;
      expect(await busOutbox.readUnpublished(event.batchId)).toEqual(event);
      expect(await collectHints(busOutbox.unpublished(LATER, null))).toContain(event.batchId);
      expect(await collectHints(busOutbox.unpublished(NOW, null))).not.toContain(event.batchId);
      const marks = await Promise.all([1, 2].map(() => busOutbox.markPublished(event)));
      expect(marks.toSorted()).toEqual(['changed', 'unchanged']);
      expect(await busOutbox.readUnpublished(event.batchId)).toBeNull();
      expect(await collectHints(busOutbox.unpublished(LATER, null))).not.toContain(event.batchId);
    });

    it('is not a webhook, and a webhook is not an event for the bus', async () => {
      const stores = open();
      const { batchId } = await finishWithEvent(stores);
      expect(await stores.outbox.read(batchId, 'batch.completed')).toBeNull();
      const hints = await collectHints(stores.outbox.undelivered(LATER, null));
      expect(hints.map((hint) => hint.batchId)).not.toContain(batchId);
      const webhook = await dueEvent(stores);
      expect(await stores.busOutbox.readUnpublished(webhook.batch_id)).toBeNull();
    });
  });

  describe(`a claim of an event in ${name}`, () => {
    it('succeeds for its holder if it is sent again after a lost response', async () => {
      const stores = open();
      const event = await dueEvent(stores);
      const [mine, another] = [lease(), lease()];
      expect(await stores.outbox.claim(event, mine, NOW)).toBe('changed');
      expect(await stores.outbox.claim(event, mine, NOW)).toBe('changed');
      expect(await stores.outbox.claim(event, another, NOW)).toBe('unchanged');
    });
  });

  describe(`a requeue of an event in ${name}`, () => {
    it('is granted once, and again after its interval', async () => {
      const stores = open();
      const event = await dueEvent(stores);
      const asked = await Promise.all(
        [1, 2, 3, 4].map(() => stores.outbox.claimRequeue(event, LATER, NOW)),
      );
      expect(asked.filter((result) => result === 'changed')).toHaveLength(1);
      expect(
        await stores.outbox.claimRequeue(event, addSeconds(LATER, 60), addSeconds(LATER, -1)),
      ).toBe('unchanged');
      expect(await stores.outbox.claimRequeue(event, addSeconds(LATER, 60), LATER)).toBe('changed');
    });

    it('does not change the event, which can still be claimed', async () => {
      const stores = open();
      const event = await dueEvent(stores);
      await stores.outbox.claimRequeue(event, LATER, NOW);
      expect(await stores.outbox.read(event.batch_id, event.event)).toEqual(event);
      expect(await stores.outbox.claim(event, lease(), NOW)).toBe('changed');
    });

    it('is not granted for an event that has advanced or is settled', async () => {
      const stores = open();
      const event = await dueEvent(stores);
      const next: OutboxEvent = { ...event, attempts: 1 };
      await recordAttempt(stores, event, next);
      expect(await stores.outbox.claimRequeue(event, LATER, NOW)).toBe('unchanged');
      const acknowledged: OutboxEvent = { ...next, attempts: 2, state: 'acknowledged' };
      await recordAttempt(stores, next, acknowledged);
      expect(await stores.outbox.claimRequeue(acknowledged, LATER, NOW)).toBe('unchanged');
    });

    it('is not granted for an event that was redelivered since it was read', async () => {
      const stores = open();
      const event = await dueEvent(stores);
      const before = { ...event, event_id: randomUUID() };
      expect(await stores.outbox.claimRequeue(before, LATER, NOW)).toBe('unchanged');
    });

    it('is granted again after an attempt', async () => {
      const stores = open();
      const event = await dueEvent(stores);
      await stores.outbox.claimRequeue(event, LATER, NOW);
      const next: OutboxEvent = { ...event, attempts: 1 };
      await recordAttempt(stores, event, next);
      expect(await stores.outbox.claimRequeue(next, LATER, NOW)).toBe('changed');
    });
  });

  describe(`an event in the outbox of ${name}`, () => {
    it('is claimed by only one of many concurrent callers', async () => {
      const stores = open();
      const { outbox } = stores;
      const event = await dueEvent(stores);
      const claims = Array.from({ length: 8 }, () => outbox.claim(event, lease(), NOW));
      const winners = (await Promise.all(claims)).filter((claim) => claim === 'changed');
      expect(winners).toHaveLength(1);
    });

    it('is not claimed before it is due', async () => {
      const stores = open();
      const { outbox } = stores;
      const event = await dueEvent(stores);
      expect(await outbox.claim(event, lease(), addSeconds(NOW, -1))).toBe('unchanged');
    });

    it('can be claimed by another caller after the lease has expired, and then the first holder cannot record an attempt', async () => {
      const stores = open();
      const { outbox } = stores;
      const event = await dueEvent(stores);
      const [first, second] = [lease(), lease(addSeconds(NOW, 60))];
      await outbox.claim(event, first, NOW);
      expect(await outbox.claim(event, second, addSeconds(LATER, -1))).toBe('unchanged');
      expect(await outbox.claim(event, second, LATER)).toBe('changed');
      const settled = { ...event, attempts: 1, state: 'acknowledged' } as const;
      expect(await outbox.recordAttempt(settled, first, failedAttempt(event, 1, null))).toBe(
        'unchanged',
      );
      expect(await outbox.recordAttempt(settled, second, failedAttempt(event, 1, null))).toBe(
        'changed',
      );
    });

    it('is released for its next attempt, with an entry in the delivery log', async () => {
      const stores = open();
      const { outbox } = stores;
      const event = await dueEvent(stores);
      const mine = lease();
      await outbox.claim(event, mine, NOW);
      const next = addSeconds(NOW, 10);
      const after: OutboxEvent = { ...event, attempts: 1, next_attempt_at: next };
      expect(await outbox.recordAttempt(after, mine, failedAttempt(event, 1, next))).toBe(
        'changed',
      );
      expect(await outbox.read(event.batch_id, event.event)).toEqual(after);
      expect(await outbox.claim(event, lease(), next)).toBe('unchanged');
      expect(await outbox.claim(after, lease(), next)).toBe('changed');
      expect(await outbox.attempts(event.batch_id, event.event)).toEqual([
        failedAttempt(event, 1, next),
      ]);
    });

    it('can be released without counting an attempt', async () => {
      const stores = open();
      const { outbox } = stores;
      const event = await dueEvent(stores);
      const mine = lease();
      await outbox.claim(event, mine, NOW);
      expect(await outbox.release(event, lease(), LATER)).toBe('unchanged');
      expect(await outbox.release(event, mine, LATER)).toBe('changed');
      const released = await outbox.read(event.batch_id, event.event);
      expect(released).toEqual({ ...event, next_attempt_at: LATER });
    });

    it.each(['acknowledged', 'permanent', 'exhausted'] as const)(
      'is listed as undelivered until it is %s',
      async (state) => {
        const stores = open();
        const { outbox } = stores;
        const event = await dueEvent(stores);
        const mine = lease();
        expect(await isListed(stores, event)).toBe(true);
        await outbox.claim(event, mine, NOW);
        await outbox.recordAttempt(
          { ...event, attempts: 1, state },
          mine,
          failedAttempt(event, 1, null),
        );
        expect(await isListed(stores, event)).toBe(false);
        expect(await outbox.claim({ ...event, attempts: 1 }, lease(), NOW)).toBe('unchanged');
      },
    );
  });

  describe(`an event that is redelivered in ${name}`, () => {
    const redelivery = (event: OutboxEvent): OutboxEvent => ({
      ...event,
      event_id: randomUUID(),
      state: 'due',
      next_attempt_at: NOW,
      redelivery: { number: 1, asked_at: NOW, after_attempts: event.attempts },
    });

    async function rejectedEvent(stores: OutboxStores): Promise<OutboxEvent> {
      const { outbox } = stores;
      const event = await dueEvent(stores);
      const mine = lease();
      await outbox.claim(event, mine, NOW);
      const settled: OutboxEvent = { ...event, attempts: 1, state: 'permanent' };
      await outbox.recordAttempt(settled, mine, failedAttempt(event, 1, null));
      return settled;
    }

    it('is due again, is listed, and can be claimed only under its new ID', async () => {
      const stores = open();
      const { outbox } = stores;
      const event = await rejectedEvent(stores);
      const again = redelivery(event);
      expect(await outbox.redeliver(event, again, NOW)).toBe('changed');
      expect(await outbox.read(event.batch_id, event.event)).toEqual(again);
      expect(await isListed(stores, event)).toBe(true);
      expect(await outbox.claim({ ...event, state: 'due' }, lease(), NOW)).toBe('unchanged');
      expect(await outbox.claim(again, lease(), NOW)).toBe('changed');
    });

    it('is redelivered once for many concurrent requests', async () => {
      const stores = open();
      const { outbox } = stores;
      const event = await rejectedEvent(stores);
      const requests = Array.from({ length: 8 }, () =>
        outbox.redeliver(event, redelivery(event), NOW),
      );
      expect((await Promise.all(requests)).filter((result) => result === 'changed')).toHaveLength(
        1,
      );
    });

    it('becomes due only once the lease of a running attempt has expired; the attempt then cannot be recorded', async () => {
      const stores = open();
      const { outbox } = stores;
      const event = await dueEvent(stores);
      const mine = lease();
      await outbox.claim(event, mine, NOW);
      expect(await outbox.redeliver(event, redelivery(event), NOW)).toBe('unchanged');
      const again = redelivery(event);
      expect(await outbox.redeliver(event, again, LATER)).toBe('changed');
      const settled = { ...event, attempts: 1, state: 'acknowledged' } as const;
      expect(await outbox.recordAttempt(settled, mine, failedAttempt(event, 1, null))).toBe(
        'unchanged',
      );
      expect(await outbox.read(event.batch_id, event.event)).toEqual(again);
    });

    it('keeps all its attempts in one log, in order', async () => {
      const stores = open();
      const { outbox } = stores;
      const event = await rejectedEvent(stores);
      const again = redelivery(event);
      await outbox.redeliver(event, again, NOW);
      const mine = lease();
      await outbox.claim(again, mine, NOW);
      await outbox.recordAttempt(
        { ...again, attempts: 2, state: 'exhausted' },
        mine,
        failedAttempt(again, 2, null),
      );
      expect(await outbox.attempts(event.batch_id, event.event)).toEqual([
        failedAttempt(event, 1, null),
        failedAttempt(again, 2, null),
      ]);
    });
  });
}
