import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { s3Client, sqsClient } from '../adapters/clients.ts';
import { env } from '../adapters/environment.ts';
import { s3DeliveryBodies } from '../adapters/s3/delivery-bodies.ts';
import { readMessage, sqsDeadLetters } from '../adapters/webhook/delivery-queues.ts';
import { type Delivery, type DeliveryPorts, deliver } from '../domain/delivery/deliver.ts';
import type { LoggedAttempt } from '../domain/delivery/outcome.ts';
import { log, observeBatches } from '../observability/log.ts';
import { measure } from '../observability/metrics.ts';
import { deliveryQueue, jobRequests, receiver, signer, stores, webhookSecrets } from '../wiring.ts';

const { batches, knownBatch } = observeBatches(stores().batches);
const ports: DeliveryPorts = {
  ...stores(),
  batches,
  jobRequests: jobRequests(),
  bodies: s3DeliveryBodies(s3Client(), env.WORK_BUCKET),
  signer: signer(),
  webhookSecrets: webhookSecrets(),
  receiver: receiver(),
  deliveryQueue: deliveryQueue(),
  deadLetters: sqsDeadLetters(sqsClient(), env.WEBHOOK_DEAD_LETTER_QUEUE_URL),
  pause: (seconds) => sleep(seconds * 1000),
  scheduleFactor: env.WEBHOOK_SCHEDULE_FACTOR,
};

/**
 * If it throws, SQS delivers the message again after its visibility timeout, by when the invocation's lease has
 * expired.
 */
export async function handler(event: SQSEvent, context: Context): Promise<void> {
  const deadline = new Date(Date.now() + context.getRemainingTimeInMillis());
  for (const record of event.Records) await deliverRecord(record, deadline);
}

async function deliverRecord(record: SQSRecord, deadline: Date): Promise<void> {
  const message = readMessage(record.body);
  if (message === null) {
    log('info', 'delivery', { outcome: 'dropped', because: 'dead letter' });
    return;
  }
  const receivedBefore = Number(record.attributes.ApproximateReceiveCount) > 1;
  const startedAt = performance.now();
  const delivery = await deliver(ports, { message, receivedBefore, deadline });
  log('info', 'delivery', {
    tenant: knownBatch(message.batch_id)?.tenant,
    batch_id: message.batch_id,
    of: message.event,
    ...toLogFields(delivery),
    duration_ms: Math.round(performance.now() - startedAt),
  });
  if (delivery.kind !== 'attempted') return;
  measure('DeliveryAttempts', 1, classifyAttempt(delivery.attempt));
  measure('DeliveryDuration', delivery.attempt.duration_ms);
}

function toLogFields(delivery: Delivery): object {
  if (delivery.kind !== 'attempted') {
    const { kind, ...details } = delivery;
    return { outcome: kind, ...details };
  }
  const { attempt } = delivery;
  return {
    outcome: classifyAttempt(attempt),
    attempt: attempt.attempt,
    status_code: attempt.status_code,
    reason: attempt.reason,
    exchange_ms: attempt.duration_ms,
    body_bytes: attempt.body_bytes,
    next_attempt_at: attempt.retry_at,
  };
}

/** Distinguishes the schedule's last failed attempt from one that will be retried. */
function classifyAttempt({ verdict, retry_at }: LoggedAttempt) {
  if (verdict !== 'retry') return verdict;
  return retry_at === null ? 'exhausted' : 'retried';
}
