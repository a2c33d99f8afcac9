import * as z from 'zod/mini';
import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { ScanPage, ScanPosition } from '../reconcile/index-scan.ts';
import type { Transition } from '../transition.ts';
import { batchId, count, time, type ViewOf } from '../wire.ts';
import { deliveryState, eventName, webhookId } from './delivery-schema.ts';
import type { LoggedAttempt } from './outcome.ts';

/** A delivery that the client requested: the same event with a new body and schedule. */
const redelivery = z.object({
  /** Counted from 1. */
  number: count,
  asked_at: time,
  /** The number of attempts that had ended before the redelivery. Its schedule starts after them. */
  after_attempts: count,
});

/** An event as stored in the outbox. The transaction that finishes the batch writes it. */
export const outboxEvent = z.object({
  batch_id: batchId,
  event: eventName,
  /** The `webhook-id` of Standard Webhooks: the same for every attempt until the client requests a redelivery. */
  event_id: webhookId,
  state: deliveryState,
  /** The number of attempts that have ended. */
  attempts: count,
  next_attempt_at: time,
  redelivery: z.exactOptional(redelivery),
});

export interface OutboxEvent extends ViewOf<typeof outboxEvent> {}

export type EventName = OutboxEvent['event'];

export function redeliveriesOf(event: OutboxEvent): number {
  return event.redelivery?.number ?? 0;
}

/** `until` is the latest time at which the invocation that makes the current attempt ends. */
export interface Lease {
  readonly id: string;
  readonly until: Timestamp;
}

/** Port to the outbox. Reads of an event are strongly consistent. */
export interface OutboxStore {
  read(batchId: BatchId, event: EventName): Promise<OutboxEvent | null>;
  /**
   * Takes the lease of a due event, if its ID and number of attempts are unchanged, its time has come and no other
   * lease is live.
   */
  claim(event: OutboxEvent, lease: Lease, now: Timestamp): Promise<Transition>;
  /** Releases the lease and makes the event due at `nextAttemptAt`, without counting an attempt. */
  release(event: OutboxEvent, lease: Lease, nextAttemptAt: Timestamp): Promise<Transition>;
  /** Replaces the event with `after` and logs the attempt, if the lease is still held. */
  recordAttempt(after: OutboxEvent, lease: Lease, attempt: LoggedAttempt): Promise<Transition>;
  /**
   * Claims the right to queue a due event again, until the given time, if its ID and number of attempts are unchanged
   * and no such claim is in force.
   */
  claimRequeue(event: OutboxEvent, until: Timestamp, now: Timestamp): Promise<Transition>;
  /**
   * Lists events due before that time, starting after the given position. The events are hints from an eventually
   * consistent index.
   */
  undelivered(before: Timestamp, after: ScanPosition | null): AsyncIterable<ScanPage<OutboxHint>>;
}

export interface OutboxHint {
  readonly batchId: BatchId;
  readonly event: EventName;
}

/** Port to the queue of delivery attempts, which only times them; the outbox is the source of truth. */
export interface DeliveryQueue {
  /** @param tenant the batch's tenant, so that messages of tenants with slow receivers do not hold up all others */
  enqueue(message: DeliveryMessage, delaySeconds: number, tenant: string): Promise<void>;
}

export interface DeliveryMessage {
  readonly batch_id: BatchId;
  readonly event: EventName;
  /**
   * The attempt that this message requests, counted from 1. A message for an attempt that has ended at most repeats
   * that attempt's follow-up.
   */
  readonly attempt: number;
  /** The redelivery that this message belongs to; absent for the first delivery. */
  readonly redelivery?: number | undefined;
}

export function messageFor(event: OutboxEvent): DeliveryMessage {
  return {
    batch_id: event.batch_id,
    event: event.event,
    attempt: event.attempts + 1,
    ...(event.redelivery === undefined ? {} : { redelivery: event.redelivery.number }),
  };
}

/** Port to the dead-letter queue of events whose retries are exhausted. */
export interface DeadLetters {
  send(event: OutboxEvent): Promise<void>;
}

/** Port to the delivery log, which has at most {@link MAX_LOGGED_ATTEMPTS} entries, oldest first. */
export interface DeliveryLog {
  attempts(batchId: BatchId, event: EventName): Promise<readonly LoggedAttempt[]>;
}

/** The key of a log entry has two digits for the attempt. */
export const MAX_LOGGED_ATTEMPTS = 99;

export interface RequestAttemptPorts {
  readonly deliveryQueue: DeliveryQueue;
  /** Called when the message could not be queued. The reconciler queues it later. */
  readonly onAttemptNotQueued: (batchId: BatchId, error: unknown) => void;
}

/** Queues an attempt immediately. Safe to repeat, because only the outbox item decides what is sent. */
export async function requestAttempt(
  { deliveryQueue, onAttemptNotQueued }: RequestAttemptPorts,
  event: OutboxEvent,
  tenant: string,
): Promise<'queued' | 'left-to-reconciler'> {
  try {
    await deliveryQueue.enqueue(messageFor(event), 0, tenant);
    return 'queued';
  } catch (error) {
    onAttemptNotQueued(event.batch_id, error);
    return 'left-to-reconciler';
  }
}
