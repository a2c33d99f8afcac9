import * as z from 'zod/mini';
import { count, time, workState } from '../wire.ts';

/** A patch-batch, the same on its own and on a page of its job. */
export const patchBatchSchema = z
  .strictObject({
    patch_batch_idx: count.check(z.describe('From 0, within the job')),
    status: workState,
    failure_reason: z.nullable(z.string().check(z.minLength(1))),
    point_count: count.check(z.describe('Cells inside the polygon')),
    predicted_point_count: z.nullable(count).check(z.describe('Cells with a value')),
    inference_duration_ms: z.nullable(z.number().check(z.nonnegative())),
    created_at: z.nullable(time),
    updated_at: z.nullable(time),
  })
  .check(
    z.refine(
      (patchBatch) => (patchBatch.failure_reason !== null) === (patchBatch.status === 'failed'),
      'failure_reason must be set if and only if the status is failed',
    ),
  );
