import * as z from 'zod/mini';
import { type DeliveryLog, MAX_LOGGED_ATTEMPTS } from '../../domain/delivery/outbox.ts';
import { batchPartition, deliveryKey } from './item-keys.ts';
import { readRange, type Table } from './table.ts';

const attemptItems = z.array(
  z.object({
    event_id: z.string(),
    attempt: z.int().check(z.positive()),
    verdict: z.enum(['acknowledged', 'permanent', 'retry']),
    reason: z.string(),
    status_code: z.nullable(z.number()),
    started_at: z.string(),
    duration_ms: z.number(),
    body_bytes: z.number(),
    retry_at: z.nullable(z.string()),
  }),
);

/** Reads the entries of settled attempts, in order. */
export function dynamoDeliveryLog(table: Table): DeliveryLog {
  return {
    async attempts(batchId, event) {
      const first = deliveryKey(batchId, event, 1).sk;
      const last = deliveryKey(batchId, event, MAX_LOGGED_ATTEMPTS).sk;
      const items = await readRange(table, batchPartition(batchId), first, last);
      return attemptItems.parse(items).map((item) => ({
        eventId: item.event_id,
        attempt: item.attempt,
        verdict: item.verdict,
        reason: item.reason,
        statusCode: item.status_code,
        startedAt: item.started_at,
        durationMs: item.duration_ms,
        bodyBytes: item.body_bytes,
        nextAttemptAt: item.retry_at,
      }));
    },
  };
}
