import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { ScanPage, ScanPosition } from '../reconcile/index-scan.ts';
import type { Transition } from '../transition.ts';
import type { DeliveryAttempt } from './outcome.ts';

/** The one event of the specification. */
export type EventName = 'batch.completed';

/** Written in the same transaction as the batch's final state; the truth about its delivery. */
export interface OutboxEvent {
  readonly batchId: BatchId;
  readonly event: EventName;
  /** The same for every attempt until the client asks for a redelivery: Standard Webhooks' `webhook-id`. */
  readonly eventId: string;
  readonly state: 'due' | 'acknowledged' | 'permanent' | 'exhausted';
  /** Attempts that have ended. */
  readonly attempts: number;
  readonly nextAttemptAt: Timestamp;
  /** The last one asked for; absent before the first. */
  readonly redelivery?: Redelivery;
}

/** A delivery that the client asked for: the same event, by a body and a schedule of its own. */
export interface Redelivery {
  /** Counted from 1. */
  readonly number: number;
  readonly requestedAt: Timestamp;
  /** Attempts that had ended before: the schedule begins anew behind them. */
  readonly afterAttempts: number;
}

/** How many redeliveries of this event were asked for. */
export function redeliveriesOf(event: OutboxEvent): number {
  return event.redelivery?.number ?? 0;
}

/** Who makes the attempt that is under way, and until when at most: one invocation, by its end. */
export interface Lease {
  readonly id: string;
  readonly until: Timestamp;
}

/** Port to the outbox. Every read of an event is strongly consistent. */
export interface OutboxStore {
  read(batchId: BatchId, event: EventName): Promise<OutboxEvent | null>;
  /** due, at this count of attempts, not before its time, under no other live lease → under this lease */
  claim(event: OutboxEvent, lease: Lease, now: Timestamp): Promise<Transition>;
  /** under this lease → due at that time, the attempt not counted */
  release(event: OutboxEvent, lease: Lease, nextAttemptAt: Timestamp): Promise<Transition>;
  /** under this lease → `settled`, together with the attempt's line in the delivery log */
  settle(settled: OutboxEvent, lease: Lease, attempt: DeliveryAttempt): Promise<Transition>;
  /** due under this id, at this count of attempts, no reminder held back → none before `until` */
  remind(event: OutboxEvent, until: Timestamp, now: Timestamp): Promise<Transition>;
  /** Events due before then, behind that place: hints of an eventually consistent index. */
  undelivered(before: Timestamp, after: ScanPosition | null): AsyncIterable<ScanPage<OutboxHint>>;
}

export interface OutboxHint {
  readonly batchId: BatchId;
  readonly event: EventName;
}

/** Port that asks for a delivery attempt after a delay: a timer, never the truth. */
export interface DeliveryTimer {
  /** @param tenant whose delivery it is: those that wait long hold up their own tenant's alone */
  schedule(message: DeliveryMessage, delaySeconds: number, tenant: string): Promise<void>;
}

export interface DeliveryMessage {
  readonly batch_id: BatchId;
  readonly event: EventName;
  /** The attempt this message is for, counted from 1: one that comes after it is dropped. */
  readonly attempt: number;
  /** The redelivery this message is for; absent for the first delivery. */
  readonly redelivery?: number | undefined;
}

/** The message that asks for the event's next attempt. */
export function messageFor(event: OutboxEvent): DeliveryMessage {
  return {
    batch_id: event.batchId,
    event: event.event,
    attempt: event.attempts + 1,
    ...(event.redelivery === undefined ? {} : { redelivery: event.redelivery.number }),
  };
}

/** Port to where events end that nobody acknowledged: an operator looks there. */
export interface DeadLetters {
  send(event: OutboxEvent): Promise<void>;
}
