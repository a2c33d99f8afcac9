import { type Batch, isFinal } from '../batch/batch.ts';
import { type OwnedBatchPorts, readOwnedBatch } from '../batch/owned-batch.ts';
import { addSeconds, type Timestamp, timestamp } from '../clock.ts';
import { nameBasedUuids } from '../identity.ts';
import type { Transition } from '../transition.ts';
import {
  MAX_LOGGED_ATTEMPTS,
  type OutboxEvent,
  type OutboxStore,
  type RequestAttemptPorts,
  redeliveriesOf,
  requestAttempt,
} from './outbox.ts';
import { MAX_ATTEMPTS } from './schedule.ts';

export const REDELIVERY_INTERVAL_SECONDS = 60;

/** The delivery log has room for the attempts of the first delivery and this many redeliveries. */
export const MAX_REDELIVERIES = Math.floor(MAX_LOGGED_ATTEMPTS / MAX_ATTEMPTS) - 1;

export interface Redeliveries {
  /**
   * Makes the event due again as `again`, if it is unchanged since it was read and has no live lease; an expired lease
   * is cleared.
   */
  redeliver(event: OutboxEvent, again: OutboxEvent, now: Timestamp): Promise<Transition>;
}

export interface RedeliveryPorts extends OwnedBatchPorts, RequestAttemptPorts {
  readonly outbox: Pick<OutboxStore, 'read'> & Redeliveries;
}

export type RedeliveryResult =
  | { readonly kind: 'accepted'; readonly batch: Batch; readonly event: OutboxEvent }
  | { readonly kind: 'batch-unknown' }
  | { readonly kind: 'refused'; readonly because: 'no webhook' | 'not finished' | 'used up' }
  | { readonly kind: 'too-soon'; readonly retryAfterSeconds: number };

/** Requests another delivery of a finished batch's event, whatever the outcome so far, with a new body and schedule. */
export async function redeliver(
  ports: RedeliveryPorts,
  tenant: string,
  batchId: string,
): Promise<RedeliveryResult> {
  const batch = await readOwnedBatch(ports, tenant, batchId);
  if (batch === null) return { kind: 'batch-unknown' };
  if (batch.webhook === null) return { kind: 'refused', because: 'no webhook' };
  if (!isFinal(batch)) return { kind: 'refused', because: 'not finished' };
  const event = await ports.outbox.read(batch.batch_id, 'batch.completed');
  // The transaction that finished the batch wrote its event, so the event must exist.
  if (event === null) throw new Error(`batch ${batch.batch_id} is final but has no event`);

  const now = timestamp(ports.clock());
  const wait = secondsToWait(event, now);
  if (wait > 0) return { kind: 'too-soon', retryAfterSeconds: wait };
  if (redeliveriesOf(event) >= MAX_REDELIVERIES) return { kind: 'refused', because: 'used up' };

  const again = makeDueAgain(event, now);
  if ((await ports.outbox.redeliver(event, again, now)) === 'unchanged') {
    // There is a concurrent redelivery, or an attempt that is in progress or has just ended.
    return { kind: 'too-soon', retryAfterSeconds: REDELIVERY_INTERVAL_SECONDS };
  }
  await requestAttempt(ports, again, tenant);
  return { kind: 'accepted', batch, event: again };
}

function secondsToWait({ redelivery }: OutboxEvent, now: Timestamp): number {
  if (redelivery === undefined) return 0;
  const next = addSeconds(redelivery.asked_at, REDELIVERY_INTERVAL_SECONDS);
  return Math.max(0, Math.ceil((Date.parse(next) - Date.parse(now)) / 1000));
}

/** The number of attempts continues, so that log entries and messages stay distinct. */
function makeDueAgain(event: OutboxEvent, now: Timestamp): OutboxEvent {
  const number = redeliveriesOf(event) + 1;
  return {
    ...event,
    // A new ID means a new body and a new `webhook-id`; receivers may ignore IDs that they know.
    event_id: nameBasedUuids(event.batch_id)(`${event.event}#redelivery-${number}`),
    state: 'due',
    next_attempt_at: now,
    redelivery: { number, asked_at: now, after_attempts: event.attempts },
  };
}
