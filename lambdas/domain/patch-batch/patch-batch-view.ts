import type { JobState } from '../job/job.ts';
import type { PatchBatchRecord, PatchBatchStatus, PlannedBlock } from './patch-batch.ts';

/** A patch-batch on the wire, the same alone and on a page of its job. */
export interface PatchBatchView {
  readonly patch_batch_idx: number;
  readonly status: PatchBatchStatus;
  readonly failure_reason: string | null;
  readonly point_count: number;
  readonly predicted_point_count: number | null;
  readonly inference_duration_ms: number | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

/**
 * @param record null while the patch-batch is `pending`
 * @param job read before the record, so that nothing of a job that failed is still to come
 */
export function patchBatchView(
  block: PlannedBlock,
  record: PatchBatchRecord | null,
  job: JobState | null,
): PatchBatchView {
  const completed = record?.status === 'completed' ? record : null;
  const view: PatchBatchView = {
    patch_batch_idx: block.idx,
    status: record?.status ?? 'pending',
    failure_reason: record?.status === 'failed' ? record.failureReason : null,
    point_count: block.pointCount,
    predicted_point_count: completed?.predictedPoints ?? null,
    inference_duration_ms: completed?.inferenceDurationMs ?? null,
    created_at: record?.createdAt ?? null,
    updated_at: record?.updatedAt ?? null,
  };
  const final = view.status === 'completed' || view.status === 'failed';
  if (final || job?.status !== 'failed') return view;
  return {
    ...view,
    status: 'failed',
    failure_reason: `the job ended before this patch-batch: ${job.error.message}`,
    updated_at: job.completedAt,
  };
}
