import * as z from 'zod/mini';
import { failPatchBatch } from '../domain/patch-batch/fail-patch-batch.ts';
import { measure } from '../observability/metrics.ts';
import { stores } from '../wiring.ts';
import { forEachOfShare, patchBatchInput, step, stepError } from './step.ts';

export const handler = forEachOfShare(
  step(
    'fail-patch-batch',
    z.extend(patchBatchInput, { error: stepError }),
    ({ batch_id, job_index, patch_batch_idx, error }) =>
      failPatchBatch(stores(), batch_id, job_index, patch_batch_idx, error),
    {
      measured: ({ kind }) => {
        if (kind === 'failed') measure('PatchBatchesFinished', 1, 'failed');
      },
    },
  ),
);
