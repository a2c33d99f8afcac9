import { type Clock, timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { JobStore, Transition } from '../job/job-store.ts';
import type { PatchBatchFailure, PatchBatchStore } from './patch-batch-store.ts';
import { describeStepFailure, type StepError } from './step-failure.ts';

export interface FailPatchBatchPorts {
  readonly jobs: JobStore;
  readonly patchBatches: PatchBatchStore;
  readonly clock: Clock;
}

/** Records that a patch-batch failed for good, unless its job has ended meanwhile. */
export async function failPatchBatch(
  { jobs, patchBatches, clock }: FailPatchBatchPorts,
  batchId: BatchId,
  jobIndex: number,
  idx: number,
  error: StepError,
): Promise<PatchBatchFailure & { readonly transition: Transition }> {
  const failure = describeStepFailure(error);
  const job = await jobs.read(batchId, jobIndex);
  if (job?.state.status !== 'processing') return { ...failure, transition: 'unchanged' };
  const at = timestamp(clock());
  const transition = await patchBatches.fail(batchId, jobIndex, idx, failure, at);
  return { ...failure, transition };
}
