import type {
  CompletedRecord,
  JobRecord,
  ProcessingRecord,
} from '../../../lambdas/domain/job/job.ts';
import type { PatchBatchRecord, Plan } from '../../../lambdas/domain/patch-batch/patch-batch.ts';
import { PACK_SHA256, RESULT } from '../domain/builders.ts';
import { LATER } from './service.ts';

const MODEL = {
  id: 'meuse-soc@1.0.0',
  temporal: 'static',
  data_period: [1990, 1990],
  sha256: PACK_SHA256,
} as const;

export function processingJob(index: number, total = 2, completed = 0): ProcessingRecord {
  return {
    job_index: index,
    status: 'processing',
    updated_at: LATER,
    model: MODEL,
    warnings: [{ code: 'static_model', message: 'the year changes nothing' }],
    total_patch_batches: total,
    completed_patch_batches: completed,
    shares: 1,
    point_count: total * 10,
    completed_points: completed * 10,
    predicted_points: completed * 9,
    prediction_ms: completed * 12,
  };
}

export function completedJob(index: number): CompletedRecord {
  return {
    ...processingJob(index, 2, 2),
    status: 'completed',
    completed_at: LATER,
    ...RESULT,
  };
}

export function failedJob(index: number): Extract<JobRecord, { status: 'failed' }> {
  return {
    job_index: index,
    status: 'failed',
    completed_at: LATER,
    updated_at: LATER,
    error: {
      code: 'geometry_self_intersection',
      message: 'ring 0 crosses itself at vertex 2',
      location: { ring: 0, vertex: 2, lon: 5.7, lat: 50.9 },
    },
  };
}

export function aPlanOf(patchBatches: number): Plan {
  return {
    model: MODEL.id,
    packSha256: PACK_SHA256,
    window: { col: 0, row: 0, width: 128 * patchBatches, height: 128 },
    rule: 'centre',
    touchedParts: [],
    blockTiles: 1,
    blocks: Array.from({ length: patchBatches }, (_, idx) => ({
      idx,
      col: idx * 128,
      row: 0,
      width: 128,
      height: 128,
      pointCount: 10,
    })),
  };
}

export function completedPatchBatch(idx: number): PatchBatchRecord {
  return {
    ...processingPatchBatch(idx),
    status: 'completed',
    predicted_point_count: 9,
    inference_duration_ms: 12,
  };
}

export function failedPatchBatch(idx: number): PatchBatchRecord {
  return {
    ...processingPatchBatch(idx),
    status: 'failed',
    failure_reason: 'a covariate could not be read',
    failure_code: 'covariate_unavailable',
  };
}

export function processingPatchBatch(idx: number): PatchBatchRecord {
  return { patch_batch_idx: idx, status: 'processing', created_at: LATER, updated_at: LATER };
}
