import { RawJson } from '#engine/json/raw-json.ts';
import type { Timestamp } from '../clock.ts';
import type { CountedJob } from '../job/job.ts';
import type { JobView } from '../job/reading/job-view.ts';
import { type Batch, isFinal } from './batch.ts';
import {
  batchProgress,
  estimateCompletion,
  estimateCompletionRange,
  finalCounts,
  type UsualTimes,
} from './batch-progress.ts';
import type { BatchView, WebhookView } from './batch-schema.ts';

/** Converts a batch to its status on the wire, without its jobs. */
export function batchView(
  batch: Batch,
  records: readonly CountedJob[],
  metadata: string | null,
  now: Timestamp,
  usualTimes: UsualTimes | null,
): BatchView {
  const { counts, progress, updatedAt } = batchProgress(batch, records);
  return {
    batch_id: batch.batch_id,
    status: batch.status,
    total_tasks: counts.total,
    completed_tasks: counts.completed,
    failed_tasks: counts.failed,
    pending_tasks: counts.pending,
    processing_tasks: counts.processing,
    total_jobs: counts.total,
    completed_jobs: counts.completed,
    failed_jobs: counts.failed,
    pending_jobs: counts.pending,
    processing_jobs: counts.processing,
    progress,
    created_at: batch.created_at,
    started_at: batch.started_at,
    updated_at: updatedAt,
    completed_at: isFinal(batch) ? batch.completed_at : null,
    cancel_requested_at: batch.cancel_requested_at ?? null,
    estimated_completion_at: estimateCompletion(batch, progress, now),
    estimated_completion_range:
      usualTimes && estimateCompletionRange(batch, progress, now, usualTimes),
    results_expire_at: batch.results_expire_at,
    name: batch.name ?? null,
    metadata: metadata === null ? null : new RawJson(metadata),
    ...(batch.retry_of === undefined ? {} : { retry_of: batch.retry_of }),
    ...(isFinal(batch) && batch.display_ranges !== undefined
      ? { display_ranges: batch.display_ranges }
      : {}),
  };
}

/**
 * Builds the body of the completion webhook.
 * @throws Error if the batch is not final
 */
export function webhookView(
  batch: Batch,
  metadata: string | null,
  jobs: readonly JobView[] | 'omitted',
): WebhookView {
  if (!isFinal(batch)) throw new Error(`batch ${batch.batch_id} is not final`);
  const counts = finalCounts(batch);
  return {
    batch_id: batch.batch_id,
    status: batch.status,
    completed_jobs: counts.completed,
    failed_jobs: counts.failed,
    total_jobs: counts.total,
    created_at: batch.created_at,
    completed_at: batch.completed_at,
    results_expire_at: batch.results_expire_at,
    name: batch.name ?? null,
    metadata: metadata === null ? null : new RawJson(metadata),
    ...(batch.retry_of === undefined ? {} : { retry_of: batch.retry_of }),
    ...(jobs === 'omitted' ? { jobs: [], jobs_omitted: true } : { jobs }),
  };
}
