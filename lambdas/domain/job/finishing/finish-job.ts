import type { BatchStore } from '../../batch/batch.ts';
import { type Clock, timestamp } from '../../clock.ts';
import { type BatchId, jobIdOf } from '../../identity.ts';
import type {
  PatchBatchFailureCode,
  PatchBatchRecord,
  PatchBatchStore,
  Plan,
} from '../../patch-batch/patch-batch.ts';
import { describeStepFailure, type StepError } from '../../step-failure.ts';
import type { FinishedRaster, JobError, JobRecord, JobStore } from '../job.ts';
import type { FinishedRasters } from './rasters.ts';

export interface FinishJobPorts {
  readonly batches: Pick<BatchStore, 'readBatch'>;
  readonly jobs: JobStore;
  readonly patchBatches: PatchBatchStore;
  readonly rasters: FinishedRasters;
  readonly clock: Clock;
}

export type JobFinish =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly error: JobError }
  /** The job was already final, does not exist, or belongs to a batch that is being cancelled. */
  | { readonly kind: 'unchanged' };

/** @param stepError the error of the failed step; null if no step of the job failed */
export async function finishJob(
  ports: FinishJobPorts,
  batchId: BatchId,
  index: number,
  stepError: StepError | null,
): Promise<JobFinish> {
  const job = await ports.jobs.read(batchId, index);
  if (job !== null && job.status !== 'processing') return { kind: 'unchanged' };
  const batch = await ports.batches.readBatch(batchId);
  if (batch === null || index >= batch.total_jobs) return { kind: 'unchanged' };
  // When a cancelled batch finishes, its remaining jobs fail as cancelled.
  if (batch.cancel_requested_at !== undefined) return { kind: 'unchanged' };
  const outcome = await decideOutcome(ports, batchId, index, job, stepError);
  const at = timestamp(ports.clock());
  if ('raster_etag' in outcome) {
    const completed = await ports.jobs.complete(batchId, index, at, outcome);
    return { kind: completed === 'changed' ? 'completed' : 'unchanged' };
  }
  const error = outcome;
  const failed = await ports.jobs.fail(batchId, index, error, at);
  return failed === 'changed' ? { kind: 'failed', error } : { kind: 'unchanged' };
}

async function decideOutcome(
  { patchBatches, rasters }: FinishJobPorts,
  batchId: BatchId,
  index: number,
  job: JobRecord | null,
  stepError: StepError | null,
): Promise<FinishedRaster | JobError> {
  const plan = job === null ? null : await patchBatches.readPlan(batchId, index);
  if (plan === null) return toJobError(describeFailure(stepError, 'The job could not be planned.'));

  const records = await patchBatches.listPatchBatches(batchId, index, 0, plan.blocks.length);
  const unpredicted = failedPatchBatches(plan, records);
  if (unpredicted !== null) return unpredicted;
  if ((job?.predicted_points ?? 0) === 0) return noValidCellsError(plan);
  // The object exists only if it is complete, even if the step that wrote it failed.
  const result = await rasters.find(batchId, jobIdOf(batchId, index));
  if (result !== null) return result;
  if (stepError !== null)
    return toJobError(describeFailure(stepError, 'The raster could not be written.'));
  return toJobError({
    code: 'internal',
    reason: 'The raster was not written. Send the job again.',
  });
}

/**
 * If several patch-batches failed, the first of their codes in this order is reported; `model_invalid` comes first,
 * because it is permanent.
 */
const BY_PRECEDENCE = [
  'model_invalid',
  'internal',
  'covariate_unavailable',
] as const satisfies readonly PatchBatchFailureCode[];

function failedPatchBatches(plan: Plan, records: readonly PatchBatchRecord[]): JobError | null {
  const failed = records.filter((record) => record.status === 'failed');
  const decisive = BY_PRECEDENCE.flatMap((code) =>
    failed.filter(({ failure_code }) => failure_code === code),
  )[0];
  if (decisive !== undefined) {
    const idxs = failed.map(({ patch_batch_idx }) => patch_batch_idx);
    return {
      code: decisive.failure_code,
      message: `${listPatchBatches(idxs)} of ${plan.blocks.length} failed. Patch-batch ${decisive.patch_batch_idx}: ${decisive.failure_reason}`,
      location: null,
    };
  }
  const completed = new Set(
    records
      .filter(({ status }) => status === 'completed')
      .map(({ patch_batch_idx }) => patch_batch_idx),
  );
  const missing = plan.blocks.map(({ idx }) => idx).filter((idx) => !completed.has(idx));
  if (missing.length === 0) return null;
  return {
    code: 'internal',
    message: `${listPatchBatches(missing)} of ${plan.blocks.length} did not finish, because the job's run was interrupted. Send the job again.`,
    location: null,
  };
}

const LISTED = 5;

/** As in "Patch-batches 0, 1, 2, 3, 4 and 2 more". */
function listPatchBatches(idxs: readonly number[]): string {
  const shown = idxs.slice(0, LISTED).join(', ');
  const more = idxs.length > LISTED ? ` and ${idxs.length - LISTED} more` : '';
  return `${idxs.length === 1 ? 'Patch-batch' : 'Patch-batches'} ${shown}${more}`;
}

function noValidCellsError(plan: Plan): JobError {
  const cells = plan.blocks.reduce((sum, { pointCount }) => sum + pointCount, 0);
  return {
    code: 'no_valid_cells',
    message: `${plan.model} has no value inside the polygon, because every cell lacks at least one covariate (number of cells: ${cells}).`,
    location: null,
  };
}

function describeFailure(error: StepError | null, failure: string) {
  if (error === null) return { code: 'internal' as const, reason: failure };
  const { code, reason } = describeStepFailure(error);
  return { code, reason: `${failure} ${reason}` };
}

function toJobError({ code, reason }: { code: JobError['code']; reason: string }): JobError {
  return { code, message: reason, location: null };
}
