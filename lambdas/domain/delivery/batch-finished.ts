import * as z from 'zod/mini';
import type { FinalBatch } from '../batch/batch.ts';
import { finalCounts } from '../batch/batch-progress.ts';
import { batchId, count, time, type ViewOf } from '../wire.ts';

/** The `source` and `detail-type` of the event, which rules match. */
export const EVENT_SOURCE = 'soil-batch';
export const EVENT_TYPE = 'batch.finished';

/**
 * The event's `detail`. It contains no URLs or metadata, because a bus may archive events and send them to other
 * accounts.
 */
export const batchFinishedSchema = z
  .object({
    event_id: z
      .uuid()
      .check(z.describe('ID of the event; the same each time the event is published')),
    tenant: z.string(),
    batch_id: batchId,
    name: z.nullable(z.string()),
    status: z.enum(['completed', 'failed', 'partial']),
    total_jobs: count,
    completed_jobs: count,
    failed_jobs: count,
    created_at: time,
    completed_at: time,
    results_expire_at: time,
    retry_of: z.nullable(batchId).check(z.describe('The batch whose failed jobs this one retries')),
  })
  .check(z.describe('The detail of the event batch.finished'));

export type BatchFinished = ViewOf<typeof batchFinishedSchema>;

export function batchFinished(batch: FinalBatch, eventId: string): BatchFinished {
  const counts = finalCounts(batch);
  return {
    event_id: eventId,
    tenant: batch.tenant,
    batch_id: batch.batch_id,
    name: batch.name ?? null,
    status: batch.status,
    total_jobs: counts.total,
    completed_jobs: counts.completed,
    failed_jobs: counts.failed,
    created_at: batch.created_at,
    completed_at: batch.completed_at,
    results_expire_at: batch.results_expire_at,
    retry_of: batch.retry_of ?? null,
  };
}

/** Uses the JSON Schema draft that EventBridge's schema registry reads. */
export function batchFinishedSchemaText(): string {
  const schema = z.toJSONSchema(batchFinishedSchema, { target: 'draft-4', io: 'input' });
  return `${JSON.stringify(schema, null, 2)}\n`;
}
