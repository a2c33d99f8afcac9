import { randomUUID } from 'node:crypto';
import type { Batch, Webhook } from '../batch/batch.ts';
import { type Clock, millisecondsBetween, timestamp } from '../clock.ts';
import { SigningKeyUnavailable } from '../job/reading/result-signer.ts';
import { type DeliveryBodyPorts, readOrWriteBody } from './body.ts';
import {
  type DeadLetters,
  type DeliveryMessage,
  type DeliveryQueue,
  type Lease,
  messageFor,
  type OutboxEvent,
  type OutboxStore,
  redeliveriesOf,
} from './outbox.ts';
import { classifyExchange, type LoggedAttempt, type Outcome, type Receiver } from './outcome.ts';
import { nextAttemptAfter, secondsUntil } from './schedule.ts';
import { signatureHeaders, type WebhookSecrets } from './signature.ts';

export interface DeliveryPorts extends DeliveryBodyPorts {
  readonly outbox: OutboxStore;
  readonly webhookSecrets: WebhookSecrets;
  readonly receiver: Receiver;
  readonly deliveryQueue: DeliveryQueue;
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
  readonly pause: (seconds: number) => Promise<void>;
  readonly scheduleFactor: number;
}

export interface Arrival {
  readonly message: DeliveryMessage;
  /** Whether SQS has delivered this message before. The invocation that received it may have died. */
  readonly receivedBefore: boolean;
  /** The latest time at which this invocation, and therefore its lease, ends. */
  readonly deadline: Date;
}

export type Delivery =
  | { readonly kind: 'attempted'; readonly attempt: LoggedAttempt }
  /** The message needs no further work. */
  | { readonly kind: 'dropped'; readonly because: DropReason }
  /** Nothing was sent. The reconciler queues the attempt again. */
  | { readonly kind: 'postponed'; readonly because: 'no signing key' }
  /** The attempt had ended, perhaps without its follow-up, so the follow-up was repeated. */
  | { readonly kind: 'resumed' };

type DropReason = 'unknown' | 'superseded' | 'ended' | 'early' | 'leased' | 'lease lost';

/** The clocks of two invocations may differ by this much, so a message that is at most this early counts as on time. */
const CLOCK_SKEW_SECONDS = 5;

/**
 * Makes the attempt that a message requests, if the outbox says that it is due. A message may arrive twice, early or
 * late. Only the holder of the event's lease sends, so attempts of the same event never overlap.
 * This function sends to the queue that invokes it, and Lambda stops long chains of invocations; see `MAX_ATTEMPTS`.
 * So it queues only the next attempt; postponed attempts are left to the reconciler, whose messages start a new chain.
 */
export async function deliver(ports: DeliveryPorts, arrival: Arrival): Promise<Delivery> {
  const { message } = arrival;
  const [event, batch] = await Promise.all([
    ports.outbox.read(message.batch_id, message.event),
    ports.batches.readBatch(message.batch_id),
  ]);
  if (event === null || batch === null || batch.webhook === null) return droppedDelivery('unknown');
  if ((message.redelivery ?? 0) !== redeliveriesOf(event)) return droppedDelivery('superseded');
  if (message.attempt > event.attempts + 1) return droppedDelivery('unknown');
  if (message.attempt <= event.attempts) return resumeFollowUp(ports, arrival, batch, event);
  if (event.state !== 'due') return droppedDelivery('ended');

  const early = (Date.parse(event.next_attempt_at) - ports.clock().getTime()) / 1000;
  // The function that made the event due also queued a message for that time.
  if (early > CLOCK_SKEW_SECONDS) return droppedDelivery('early');
  if (early > 0) await ports.pause(early);
  const lease: Lease = { id: randomUUID(), until: timestamp(arrival.deadline) };
  const claimed = await ports.outbox.claim(event, lease, timestamp(ports.clock()));
  if (claimed === 'unchanged') return droppedDelivery('leased');
  return makeAttempt(ports, batch, batch.webhook, event, lease);
}

async function makeAttempt(
  ports: DeliveryPorts,
  batch: Batch,
  webhook: Webhook,
  event: OutboxEvent,
  lease: Lease,
): Promise<Delivery> {
  const body = await readOrWriteBody(ports, batch, event).catch((error: unknown) => {
    if (error instanceof SigningKeyUnavailable) return null;
    throw error;
  });
  if (body === null) return postponeForKey(ports, event, lease);

  const started = ports.clock();
  const outcome = await sendEvent(ports, batch, webhook, event, body);
  const ended = ports.clock();

  const number = event.attempts + 1;
  const ofSchedule = number - (event.redelivery?.after_attempts ?? 0);
  const retry_at =
    outcome.verdict === 'retry'
      ? nextAttemptAfter(ofSchedule, timestamp(ended), ports.scheduleFactor)
      : null;
  const made: LoggedAttempt = {
    event: event.event,
    event_id: event.event_id,
    ...outcome,
    attempt: number,
    started_at: timestamp(started),
    duration_ms: millisecondsBetween(started, ended),
    body_bytes: body.byteLength,
    retry_at,
  };
  const after: OutboxEvent = {
    ...event,
    attempts: number,
    state: stateAfter(outcome, retry_at !== null),
    next_attempt_at: retry_at ?? event.next_attempt_at,
  };
  if ((await ports.outbox.recordAttempt(after, lease, made)) === 'unchanged') {
    return droppedDelivery('lease lost');
  }
  await followUp(ports, batch, after);
  return { kind: 'attempted', attempt: made };
}

async function sendEvent(
  ports: DeliveryPorts,
  batch: Batch,
  webhook: Webhook,
  event: OutboxEvent,
  body: Uint8Array,
): Promise<Outcome> {
  const secret =
    webhook.secret_ciphertext === null
      ? null
      : await ports.webhookSecrets.decrypt(webhook.secret_ciphertext, {
          tenant: batch.tenant,
          batchId: webhook.sealed_for ?? batch.batch_id,
        });
  const sentAt = timestamp(ports.clock());
  const headers = {
    'Content-Type': 'application/json',
    'X-Service-Event': event.event,
    ...signatureHeaders({ body, secret, eventId: event.event_id, sentAt }),
  };
  return classifyExchange(await ports.receiver.post({ url: webhook.url, headers, body }));
}

function stateAfter(outcome: Outcome, retried: boolean): OutboxEvent['state'] {
  if (outcome.verdict !== 'retry') return outcome.verdict;
  return retried ? 'due' : 'exhausted';
}

/** Follows up an attempt: queues the next one, or reports the exhausted event to an operator. */
async function followUp(
  ports: DeliveryPorts,
  { tenant }: Batch,
  event: OutboxEvent,
): Promise<void> {
  if (event.state === 'due') {
    const delay = secondsUntil(event.next_attempt_at, timestamp(ports.clock()));
    await ports.deliveryQueue.enqueue(messageFor(event), delay, tenant);
  }
  if (event.state === 'exhausted') await ports.deadLetters.send(event);
}

/**
 * Handles a message whose attempt has ended. If SQS delivers the same message again, the process may have died between
 * recording the attempt and its follow-up. Any other late message is a duplicate, so the follow-up is not repeated.
 */
async function resumeFollowUp(
  ports: DeliveryPorts,
  { message, receivedBefore }: Arrival,
  batch: Batch,
  event: OutboxEvent,
): Promise<Delivery> {
  if (!receivedBefore || message.attempt !== event.attempts) return droppedDelivery('ended');
  await followUp(ports, batch, event);
  return { kind: 'resumed' };
}

/**
 * Releases the event without counting an attempt, because nothing was sent. The reconciler keeps queueing it until
 * there is a key.
 */
async function postponeForKey(
  { outbox, clock }: DeliveryPorts,
  event: OutboxEvent,
  lease: Lease,
): Promise<Delivery> {
  const released = await outbox.release(event, lease, timestamp(clock()));
  if (released === 'unchanged') return droppedDelivery('lease lost');
  return { kind: 'postponed', because: 'no signing key' };
}

function droppedDelivery(because: DropReason): Delivery {
  return { kind: 'dropped', because };
}
