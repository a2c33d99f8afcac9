import * as z from 'zod/mini';
import { batchId, count, time, type ViewOf } from '../wire.ts';

const outcome = z
  .enum(['acknowledged', 'permanent', 'retry'])
  .check(z.describe('2xx; 3xx, 4xx or a receiver that is refused; everything else'));
const reason = z.string().check(z.minLength(1), z.describe('What happened, in words'));
const statusCode = z
  .nullable(z.int().check(z.minimum(100), z.maximum(999)))
  .check(z.describe('Null when no answer came: `reason` says why'));
const durationMs = count.check(z.describe('From the look-up of the name to the answer’s headers'));
const bodyBytes = count.check(z.describe('Size of the body that was sent'));

export const deliveryAttempt = z.strictObject({
  attempt: z.int().check(z.minimum(1), z.describe('Counted on through redeliveries')),
  webhook_id: z.uuid().check(z.describe('The header `webhook-id` of the request')),
  started_at: time,
  outcome,
  reason,
  status_code: statusCode,
  duration_ms: durationMs,
  body_bytes: bodyBytes,
  next_attempt_at: z
    .nullable(time)
    .check(z.describe('When the next one was due; null after the last')),
});

/** What `GET` and `POST /v1/batch/{batch_id}/deliveries` answer. */
export const deliveriesSchema = z.strictObject({
  batch_id: batchId,
  event: z.literal('batch.completed'),
  state: z
    .nullable(z.enum(['due', 'acknowledged', 'permanent', 'exhausted']))
    .check(z.describe('Null while the batch is unfinished, and without a `webhook_url`')),
  webhook_id: z
    .nullable(z.uuid())
    .check(z.describe('Of the next or last attempt; a redelivery has its own')),
  redeliveries: count.check(z.describe('Those asked for so far')),
  next_attempt_at: z.nullable(time).check(z.describe('Null unless `state` is `due`')),
  attempts: z
    .array(deliveryAttempt)
    .check(z.describe('Those that have ended, the first one first')),
});

/** What `POST /v1/webhooks/test` answers. */
export const webhookTestSchema = z.strictObject({
  outcome,
  reason,
  status_code: statusCode,
  duration_ms: durationMs,
  body_bytes: bodyBytes,
  webhook_id: z.uuid().check(z.describe('The header `webhook-id` of the request')),
  signed: z.boolean().check(z.describe('Whether a secret was given')),
});

export type DeliveriesView = ViewOf<typeof deliveriesSchema>;
export type WebhookTestView = ViewOf<typeof webhookTestSchema>;
