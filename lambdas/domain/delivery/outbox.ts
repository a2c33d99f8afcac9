import * as z from 'zod/mini';
import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { ScanPage, ScanPosition } from '../reconcile/index-scan.ts';
import type { Transition } from '../transition.ts';
import { batchId, count, time, type ViewOf } from '../wire.ts';
import { deliveryState, eventName, webhookId } from './delivery-schema.ts';
import type { LoggedAttempt } from './outcome.ts';

/** A delivery that the client requested: the same event with its own body and schedule. */
const redelivery = z.object({
  /** Redeliveries are counted from 1. */
  number: count,
  asked_at: time,
  /** Attempts that had ended before; the schedule starts again after them. */
  after_attempts: count,
});

/** Written in the same transaction as the batch's final state; the source of truth for its delivery. */
export const outboxEvent = z.object({
  batch_id: batchId,
  event: eventName,
  /** The same for every attempt until the client asks for a redelivery: Standard Webhooks' `webhook-id`. */
  event_id: webhookId,
  state: deliveryState,
  /** Attempts that have ended. */
  attempts: count,
  next_attempt_at: time,
  /** The latest redelivery; absent before the first. */
  redelivery: z.exactOptional(redelivery),
});

export interface OutboxEvent extends ViewOf<typeof outboxEvent> {}

export type EventName = OutboxEvent['event'];

export function redeliveriesOf(event: OutboxEvent): number {
  return event.redelivery?.number ?? 0;
}

/** The invocation that makes the current attempt, and the latest time it ends. */
export interface Lease {
  readonly id: string;
  readonly until: Timestamp;
}

/** Port to the outbox. Reads of an event are strongly consistent. */
export interface OutboxStore {
  read(batchId: BatchId, event: EventName): Promise<OutboxEvent | null>;
  /** due, with this count of attempts, not before its time, without another live lease → under this lease */
  claim(event: OutboxEvent, lease: Lease, now: Timestamp): Promise<Transition>;
  /** under this lease → due at that time; the attempt is not counted */
  release(event: OutboxEvent, lease: Lease, nextAttemptAt: Timestamp): Promise<Transition>;
  /** under this lease → `after`, together with the attempt's entry in the delivery log */
  recordAttempt(after: OutboxEvent, lease: Lease, attempt: LoggedAttempt): Promise<Transition>;
  /**
   * due under this id, with this count of attempts, not claimed to be queued again → claimed until
   * `until`
   */
  claimRequeue(event: OutboxEvent, until: Timestamp, now: Timestamp): Promise<Transition>;
  /** Events due before that time, after that position: hints from an eventually consistent index. */
  undelivered(before: Timestamp, after: ScanPosition | null): AsyncIterable<ScanPage<OutboxHint>>;
}

export interface OutboxHint {
  readonly batchId: BatchId;
  readonly event: EventName;
}

/** Port to the queue of delivery attempts. It only times them; the outbox is the source of truth. */
export interface DeliveryQueue {
  /** @param tenant whose other deliveries alone a slow one delays */
  enqueue(message: DeliveryMessage, delaySeconds: number, tenant: string): Promise<void>;
}

export interface DeliveryMessage {
  readonly batch_id: BatchId;
  readonly event: EventName;
  /** The attempt this message requests, counted from 1. A message for an earlier one at most repeats its follow-up. */
  readonly attempt: number;
  /** The redelivery this message belongs to; absent for the first delivery. */
  readonly redelivery?: number | undefined;
}

/** The message that requests the event's next attempt. */
export function messageFor(event: OutboxEvent): DeliveryMessage {
  return {
    batch_id: event.batch_id,
    event: event.event,
    attempt: event.attempts + 1,
    ...(event.redelivery === undefined ? {} : { redelivery: event.redelivery.number }),
  };
}

/** Port to the dead-letter queue of events that nobody acknowledged, for an operator. */
export interface DeadLetters {
  send(event: OutboxEvent): Promise<void>;
}

/** Port to the delivery log: at most {@link MAX_LOGGED_ATTEMPTS} entries, the first attempt first. */
export interface DeliveryLog {
  attempts(batchId: BatchId, event: EventName): Promise<readonly LoggedAttempt[]>;
}

/** The key has two digits for the attempt. */
export const MAX_LOGGED_ATTEMPTS = 99;

export interface RequestAttemptPorts {
  readonly deliveryQueue: DeliveryQueue;
  /** Called when the message could not be queued; the reconciler queues it later. */
  readonly onAttemptNotQueued: (batchId: BatchId, error: unknown) => void;
}

/** Queues an attempt immediately. Best effort and safe to repeat: only the outbox item decides what is sent. */
export async function requestAttempt(
  { deliveryQueue, onAttemptNotQueued }: RequestAttemptPorts,
  event: OutboxEvent,
  tenant: string,
): Promise<'asked' | 'left-to-reconciler'> {
  try {
    await deliveryQueue.enqueue(messageFor(event), 0, tenant);
    return 'asked';
  } catch (error) {
    onAttemptNotQueued(event.batch_id, error);
    return 'left-to-reconciler';
  }
}
