import type { JobState } from '../job/job.ts';
import type { ViewOf } from '../wire.ts';
import type { PatchBatchRecord, PlannedBlock } from './patch-batch.ts';
import type { patchBatchSchema } from './patch-batch-schema.ts';

/** A patch-batch on the wire, the same on its own and on a page of its job. */
export type PatchBatchView = ViewOf<typeof patchBatchSchema>;

/**
 * @param record null while the patch-batch is `pending`
 * @param job read before the record, so that nothing follows for a failed job
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
