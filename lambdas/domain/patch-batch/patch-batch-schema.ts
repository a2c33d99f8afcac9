import * as z from 'zod';
import { count, time, workStatus } from '../wire.ts';

/** A patch-batch, the same alone and on a page of its job. */
export const patchBatchMember = z
  .strictObject({
    patch_batch_idx: count.describe('From 0, within the job'),
    status: workStatus,
    failure_reason: z.string().min(1).nullable(),
    point_count: count.describe('Cells inside the polygon'),
    predicted_point_count: count.nullable().describe('Cells with a value'),
    inference_duration_ms: z.number().nonnegative().nullable(),
    created_at: time.nullable(),
    updated_at: time.nullable(),
  })
  .refine(
    (patchBatch) => (patchBatch.failure_reason !== null) === (patchBatch.status === 'failed'),
    'a failure reason stands exactly on failed patch-batches',
  );
