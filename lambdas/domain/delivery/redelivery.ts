import type { Batch } from '../batch/batch.ts';
import { isFinal } from '../batch/batch.ts';
import type { BatchStore } from '../batch/batch-store.ts';
import { ownedBatch } from '../batch/owned-batch.ts';
import { addSeconds, type Clock, type Timestamp, timestamp } from '../clock.ts';
import { nameBasedUuids } from '../name-based-uuid.ts';
import type { Transition } from '../transition.ts';
import { MAX_LOGGED_ATTEMPTS } from './delivery-log.ts';
import { type OutboxEvent, type OutboxStore, redeliveriesOf } from './outbox.ts';
import { type RequestAttemptPorts, requestAttempt } from './request-attempt.ts';
import { MAX_ATTEMPTS } from './schedule.ts';

/** A client that asks more often than this learns nothing new: an attempt alone may take 10 s. */
export const REDELIVERY_INTERVAL_SECONDS = 60;

/** The first delivery's attempts and those of so many redeliveries fit into one log. */
export const MAX_REDELIVERIES = Math.floor(MAX_LOGGED_ATTEMPTS / MAX_ATTEMPTS) - 1;

/** Port to the one write that makes an event due again. */
export interface Redeliveries {
  /**
   * as `event` was read, under no live lease → `again`, due; the lease that ran out, if any, is void.
   * One item stays one item: the outbox holds one truth about a batch's event.
   */
  redeliver(event: OutboxEvent, again: OutboxEvent, now: Timestamp): Promise<Transition>;
}

export interface RedeliveryPorts extends RequestAttemptPorts {
  readonly batches: Pick<BatchStore, 'read'>;
  readonly outbox: Pick<OutboxStore, 'read'> & Redeliveries;
  readonly clock: Clock;
}

export type RedeliveryResult =
  | { readonly kind: 'accepted'; readonly batch: Batch; readonly event: OutboxEvent }
  | { readonly kind: 'batch-unknown' }
  | { readonly kind: 'refused'; readonly because: 'no webhook' | 'not finished' | 'used up' }
  | { readonly kind: 'too-soon'; readonly retryAfterSeconds: number };

/**
 * Delivers a finished batch's event once more, whatever became of it before: by a body of its own,
 * made when it is sent, and a schedule of its own.
 */
export async function redeliver(
  ports: RedeliveryPorts,
  tenant: string,
  batchId: string,
): Promise<RedeliveryResult> {
  const batch = await ownedBatch(ports, tenant, batchId);
  if (batch === null) return { kind: 'batch-unknown' };
  if (batch.webhook === null) return { kind: 'refused', because: 'no webhook' };
  if (!isFinal(batch.state)) return { kind: 'refused', because: 'not finished' };
  const event = await ports.outbox.read(batch.batchId, 'batch.completed');
  // The event is written in the transaction that finished the batch.
  if (event === null) throw new Error(`batch ${batch.batchId} has lost its event`);

  const now = timestamp(ports.clock());
  const wait = secondsToWait(event, now);
  if (wait > 0) return { kind: 'too-soon', retryAfterSeconds: wait };
  if (redeliveriesOf(event) >= MAX_REDELIVERIES) return { kind: 'refused', because: 'used up' };

  const again = dueAgain(event, now);
  if ((await ports.outbox.redeliver(event, again, now)) === 'unchanged') {
    // Somebody else asked for it, or an attempt is being made or has just ended.
    return { kind: 'too-soon', retryAfterSeconds: REDELIVERY_INTERVAL_SECONDS };
  }
  await requestAttempt(ports, again, tenant);
  return { kind: 'accepted', batch, event: again };
}

function secondsToWait({ redelivery }: OutboxEvent, now: Timestamp): number {
  if (redelivery === undefined) return 0;
  const next = addSeconds(redelivery.requestedAt, REDELIVERY_INTERVAL_SECONDS);
  return Math.max(0, Math.ceil((Date.parse(next) - Date.parse(now)) / 1000));
}

/** Attempts are counted on, so that their lines and messages stay apart from those before. */
function dueAgain(event: OutboxEvent, now: Timestamp): OutboxEvent {
  const number = redeliveriesOf(event) + 1;
  return {
    ...event,
    // Another id is another body, and another `webhook-id`: receivers would drop a known one.
    eventId: nameBasedUuids(event.batchId)(`${event.event}#redelivery-${number}`),
    state: 'due',
    nextAttemptAt: now,
    redelivery: { number, requestedAt: now, afterAttempts: event.attempts },
  };
}
