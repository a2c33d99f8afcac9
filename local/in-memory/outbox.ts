import type { DeliveryBodies } from '../../lambdas/domain/delivery/body.ts';
import type {
  DeliveryLog,
  LoggedAttempt,
  OutboxEvent,
  OutboxStore,
} from '../../lambdas/domain/delivery/outbox.ts';
import type { Redeliveries } from '../../lambdas/domain/delivery/redelivery.ts';
import type { BatchId } from '../../lambdas/domain/identity.ts';
import { inPages } from './pages.ts';

interface OutboxItem {
  readonly event: OutboxEvent;
  readonly lease: { readonly id: string; readonly until: string } | null;
  readonly remindedUntil: string | null;
}

/**
 * The outbox with its port's conditions, over the events written when batches finish.
 * @param readEvent returns a batch's event as written, or null
 * @param batchIds returns the ids of all batches
 */
export function inMemoryOutbox(
  readEvent: (batchId: BatchId) => Promise<OutboxEvent | null>,
  batchIds: () => Iterable<BatchId>,
): OutboxStore & Redeliveries & DeliveryLog {
  const items = new Map<BatchId, OutboxItem>();
  const log = new Map<string, LoggedAttempt>();
  const itemOf = async (batchId: BatchId): Promise<OutboxItem | null> => {
    const event = items.has(batchId) ? null : await readEvent(batchId);
    const known = items.get(batchId);
    if (known !== undefined || event === null) return known ?? null;
    const item = { event, lease: null, remindedUntil: null };
    items.set(batchId, item);
    return item;
  };
  return {
    attempts: async (batchId) =>
      [...log].flatMap(([name, attempt]) => (name.startsWith(`${batchId}/`) ? [attempt] : [])),
    read: async (batchId) => (await itemOf(batchId))?.event ?? null,
    async claim(event, lease, now) {
      await itemOf(event.batchId);
      const item = items.get(event.batchId) ?? null;
      if (item === null || !isAt(item.event, event) || item.event.nextAttemptAt > now) {
        return 'unchanged';
      }
      const own = item.lease?.id === lease.id;
      if (item.lease !== null && !own && item.lease.until > now) return 'unchanged';
      items.set(event.batchId, { ...item, lease });
      return 'changed';
    },
    async release(event, lease, nextAttemptAt) {
      await itemOf(event.batchId);
      const item = items.get(event.batchId) ?? null;
      if (item?.lease?.id !== lease.id) return 'unchanged';
      items.set(event.batchId, { ...item, event: { ...item.event, nextAttemptAt }, lease: null });
      return 'changed';
    },
    async remind(event, until, now) {
      await itemOf(event.batchId);
      const item = items.get(event.batchId) ?? null;
      if (item === null || !isAt(item.event, event)) return 'unchanged';
      if (item.remindedUntil !== null && item.remindedUntil > now) return 'unchanged';
      items.set(event.batchId, { ...item, remindedUntil: until });
      return 'changed';
    },
    async settle(settled, lease, attempt) {
      await itemOf(settled.batchId);
      const item = items.get(settled.batchId) ?? null;
      if (item?.lease?.id !== lease.id || item.event.state !== 'due') return 'unchanged';
      items.set(settled.batchId, { event: settled, lease: null, remindedUntil: null });
      const { batchId, eventId } = settled;
      log.set(`${batchId}/${attempt.attempt}`, { ...attempt, eventId });
      return 'changed';
    },
    async redeliver(event, redelivery, now) {
      await itemOf(event.batchId);
      const item = items.get(event.batchId) ?? null;
      if (item === null || item.event.eventId !== event.eventId) return 'unchanged';
      if (item.event.attempts !== event.attempts || item.event.state !== event.state) {
        return 'unchanged';
      }
      if (item.lease !== null && item.lease.until > now) return 'unchanged';
      items.set(event.batchId, { event: redelivery, lease: null, remindedUntil: null });
      return 'changed';
    },
    async *undelivered(before, after) {
      const due = await Promise.all([...batchIds()].map(itemOf));
      const hints = due.flatMap((item) =>
        item !== null && item.event.state === 'due' && item.event.nextAttemptAt < before
          ? [{ batchId: item.event.batchId, event: item.event.event }]
          : [],
      );
      yield* inPages(hints, after);
    },
  };
}

function isAt(event: OutboxEvent, expected: OutboxEvent): boolean {
  return (
    event.state === 'due' &&
    event.attempts === expected.attempts &&
    event.eventId === expected.eventId
  );
}

/** The first body stored for an event is kept. */
export function inMemoryDeliveryBodies(): DeliveryBodies {
  const bodies = new Map<string, Uint8Array>();
  return {
    read: async (_batchId, eventId) => bodies.get(eventId) ?? null,
    keep: async (_batchId, eventId, body) => {
      const kept = bodies.get(eventId) ?? body;
      bodies.set(eventId, kept);
      return kept;
    },
  };
}
