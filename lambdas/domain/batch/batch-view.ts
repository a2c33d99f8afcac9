import { RawJson } from '#engine/json/raw-json.ts';
import type { Timestamp } from '../clock.ts';
import type { CountedJob } from '../job/job.ts';
import type { JobView } from '../job/reading/job-view.ts';
import { type Batch, isFinal } from './batch.ts';
import {
  batchProgress,
  type CompletionRangeOf,
  estimatedCompletion,
  finalCounts,
} from './batch-progress.ts';
import type { BatchView, WebhookView } from './batch-schema.ts';

/** The batch status on the wire, without its jobs; `metadata` is the original text. */
export function batchView(
  batch: Batch,
  records: readonly CountedJob[],
  metadata: string | null,
  now: Timestamp,
  completionRangeOf: CompletionRangeOf,
): BatchView {
  const { counts, progress, updatedAt } = batchProgress(batch, records);
  return {
    batch_id: batch.batchId,
    status: batch.state.status,
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
    created_at: batch.createdAt,
    started_at: batch.state.status === 'pending' ? null : batch.state.startedAt,
    updated_at: updatedAt,
    completed_at: isFinal(batch.state) ? batch.state.completedAt : null,
    estimated_completion_at: estimatedCompletion(batch.state, progress, now),
    estimated_completion_range: completionRangeOf(batch, progress, now),
    results_expire_at: batch.resultsExpireAt,
    name: batch.name ?? null,
    metadata: metadata === null ? null : new RawJson(metadata),
    ...(batch.retryOf === undefined ? {} : { retry_of: batch.retryOf }),
  };
}

/** The body of the completion webhook: the fields of the specification first. */
export function webhookView(
  batch: Batch,
  metadata: string | null,
  jobs: readonly JobView[] | 'omitted',
): WebhookView {
  if (!isFinal(batch.state)) throw new Error(`batch ${batch.batchId} is not final`);
  const counts = finalCounts(batch.totalJobs, batch.state);
  return {
    batch_id: batch.batchId,
    status: batch.state.status,
    completed_jobs: counts.completed,
    failed_jobs: counts.failed,
    total_jobs: counts.total,
    created_at: batch.createdAt,
    completed_at: batch.state.completedAt,
    results_expire_at: batch.resultsExpireAt,
    name: batch.name ?? null,
    metadata: metadata === null ? null : new RawJson(metadata),
    ...(batch.retryOf === undefined ? {} : { retry_of: batch.retryOf }),
    ...(jobs === 'omitted' ? { jobs: [], jobs_omitted: true } : { jobs }),
  };
}
