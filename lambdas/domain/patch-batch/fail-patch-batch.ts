import { type Clock, timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { JobStore } from '../job/job.ts';
import { describeStepFailure, type StepError } from '../step-failure.ts';
import type { PatchBatchFailure, PatchBatchStore } from './patch-batch.ts';

export interface FailPatchBatchPorts {
  readonly jobs: JobStore;
  readonly patchBatches: PatchBatchStore;
  readonly clock: Clock;
}

export type PatchBatchFail =
  | { readonly kind: 'failed'; readonly failure: PatchBatchFailure }
  /** The patch-batch is final, or its job is not being processed. */
  | { readonly kind: 'nothing-to-do' };

/** Records that a patch-batch failed permanently, if its job is still being processed. */
export async function failPatchBatch(
  { jobs, patchBatches, clock }: FailPatchBatchPorts,
  batchId: BatchId,
  jobIndex: number,
  idx: number,
  error: StepError,
): Promise<PatchBatchFail> {
  const job = await jobs.read(batchId, jobIndex);
  if (job?.status !== 'processing') return { kind: 'nothing-to-do' };
  const failure = describeStepFailure(error);
  const at = timestamp(clock());
  const transition = await patchBatches.fail(batchId, jobIndex, idx, failure, at);
  return transition === 'changed' ? { kind: 'failed', failure } : { kind: 'nothing-to-do' };
}
