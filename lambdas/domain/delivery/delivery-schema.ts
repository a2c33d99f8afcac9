import * as z from 'zod/mini';
import { batchId, count, time, type ViewOf } from '../wire.ts';

export const attemptOutcome = z
  .enum(['acknowledged', 'permanent', 'retry'])
  .check(
    z.describe(
      '`acknowledged`: 2xx; `permanent`: 3xx, 4xx or a receiver that is not allowed; `retry`: everything else',
    ),
  );
/** The only event in the specification. */
export const eventName = z.literal('batch.completed');
export const webhookId = z.uuid();
export const deliveryState = z
  .enum(['due', 'acknowledged', 'permanent', 'exhausted'])
  .check(
    z.describe(
      '`due`: an attempt is due at `next_attempt_at`; `acknowledged`, `permanent`: the outcome of the last attempt; `exhausted`: all retries have failed',
    ),
  );
const reason = z.string().check(z.minLength(1), z.describe('What happened, in words'));
const statusCode = z
  .nullable(z.int().check(z.minimum(100), z.maximum(999)))
  .check(z.describe('Null if there was no response; see `reason`'));
const durationMs = count.check(
  z.describe('Duration of the attempt, which ends with the response headers or the failure'),
);
const bodyBytes = count.check(z.describe('Size of the webhook’s body'));

export const deliveryAttempt = z.strictObject({
  attempt: z
    .int()
    .check(z.minimum(1), z.describe('Number of the attempt, counted across redeliveries')),
  webhook_id: webhookId.check(z.describe('The header `webhook-id` of the request')),
  started_at: time,
  outcome: attemptOutcome,
  reason,
  status_code: statusCode,
  duration_ms: durationMs,
  body_bytes: bodyBytes,
  next_attempt_at: z
    .nullable(time)
    .check(z.describe('When this attempt is or was to be repeated; null if it is not repeated')),
});

export const deliveriesSchema = z.strictObject({
  batch_id: batchId,
  event: eventName,
  state: z
    .nullable(deliveryState)
    .check(z.describe('Null while the batch is unfinished, or if it has no `webhook_url`')),
  webhook_id: z
    .nullable(webhookId)
    .check(
      z.describe('The `webhook-id` of the current or last delivery; each redelivery has a new one'),
    ),
  redeliveries: count.check(z.describe('Number of redeliveries requested')),
  next_attempt_at: z
    .nullable(time)
    .check(z.describe('When the next attempt is due; null unless `state` is `due`')),
  attempts: z.array(deliveryAttempt).check(z.describe('Ended attempts, oldest first')),
});

export const webhookTestSchema = z.strictObject({
  outcome: attemptOutcome,
  reason,
  status_code: statusCode,
  duration_ms: durationMs,
  body_bytes: bodyBytes,
  webhook_id: webhookId.check(z.describe('The header `webhook-id` of the request')),
  signed: z.boolean().check(z.describe('Whether a secret was given')),
});

export type DeliveriesView = ViewOf<typeof deliveriesSchema>;
export type WebhookTestView = ViewOf<typeof webhookTestSchema>;
