import type { IdempotencyKeys } from '../../lambdas/domain/admission/idempotency.ts';
import type { Quotas } from '../../lambdas/domain/admission/quota.ts';
import type { BatchStore } from '../../lambdas/domain/batch/batch-store.ts';
import type { OutboxEvent, OutboxStore } from '../../lambdas/domain/delivery/outbox.ts';
import type { DeliveryAttempt } from '../../lambdas/domain/delivery/outcome.ts';
import type { Redeliveries } from '../../lambdas/domain/delivery/redelivery.ts';
import type { Slots } from '../../lambdas/domain/dispatch/slots.ts';
import type { WaitingLine } from '../../lambdas/domain/dispatch/waiting-line.ts';
import type { BatchId } from '../../lambdas/domain/identity.ts';
import type { JobStore } from '../../lambdas/domain/job/job-store.ts';
import type { PatchBatchStore } from '../../lambdas/domain/patch-batch/patch-batch-store.ts';
import type { Sweeps } from '../../lambdas/domain/reconcile/sweep.ts';
import { inPages } from '../unit/domain/in-memory/pages.ts';

/** Where a world keeps its state: in memory, or in a table of DynamoDB. */
export interface Storage {
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly patchBatches: PatchBatchStore;
  readonly outbox: OutboxStore & Redeliveries;
  readonly quotas: Quotas;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly slots: Slots;
  readonly line: WaitingLine;
  readonly sweeps: Sweeps;
  /** What is there of a batch, beside what the ports tell. */
  inspect(batchId: BatchId): Promise<Inspection>;
  /** Leaves nothing of it. */
  close(): Promise<void>;
}

export interface Inspection {
  readonly outboxItems: number;
  /** Attempts in the delivery log. */
  readonly attempts: number;
}

/** A storage, and which batches were made and finished in it by one world. */
export interface WatchedStorage extends Storage {
  readonly made: ReadonlySet<BatchId>;
  /** Times that `finish` answered with `finished`. */
  readonly finishes: ReadonlyMap<BatchId, number>;
}

export function watched(storage: Storage): WatchedStorage {
  const made = new Set<BatchId>();
  const finishes = new Map<BatchId, number>();
  return {
    ...storage,
    made,
    finishes,
    batches: {
      ...storage.batches,
      async create(batch, ...rest) {
        made.add(batch.batchId);
        return storage.batches.create(batch, ...rest);
      },
      async finish(batchId, ...rest) {
        const outcome = await storage.batches.finish(batchId, ...rest);
        if (outcome === 'finished') finishes.set(batchId, (finishes.get(batchId) ?? 0) + 1);
        return outcome;
      },
    },
  };
}

interface OutboxItem {
  readonly event: OutboxEvent;
  readonly lease: { readonly id: string; readonly until: string } | null;
  readonly remindedUntil: string | null;
}

export interface InMemoryOutbox extends OutboxStore, Redeliveries {
  readonly log: ReadonlyMap<string, DeliveryAttempt>;
}

/**
 * The outbox under its port's own conditions, over the events that finishing a batch puts.
 * @param put the event as it was put, or null
 * @param made every batch there is
 */
export function inMemoryOutbox(
  put: (batchId: BatchId) => Promise<OutboxEvent | null>,
  made: () => Iterable<BatchId>,
): InMemoryOutbox {
  const items = new Map<BatchId, OutboxItem>();
  const log = new Map<string, DeliveryAttempt>();
  const itemOf = async (batchId: BatchId): Promise<OutboxItem | null> => {
    const event = items.has(batchId) ? null : await put(batchId);
    const known = items.get(batchId);
    if (known !== undefined || event === null) return known ?? null;
    const item = { event, lease: null, remindedUntil: null };
    items.set(batchId, item);
    return item;
  };
  return {
    log,
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
      log.set(`${settled.batchId}/${attempt.attempt}`, attempt);
      return 'changed';
    },
    async redeliver(event, again, now) {
      await itemOf(event.batchId);
      const item = items.get(event.batchId) ?? null;
      if (item === null || item.event.eventId !== event.eventId) return 'unchanged';
      if (item.event.attempts !== event.attempts || item.event.state !== event.state) {
        return 'unchanged';
      }
      if (item.lease !== null && item.lease.until > now) return 'unchanged';
      items.set(event.batchId, { event: again, lease: null, remindedUntil: null });
      return 'changed';
    },
    async *undelivered(before, after) {
      const due = await Promise.all([...made()].map(itemOf));
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
