import { GEOMETRY_ERROR_CODES, type GeometryLocation } from '#engine/geometry/problem.ts';
import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { Transition } from '../transition.ts';
import type { JobSummary } from './job-summary.ts';

/** Why a job failed: a closed list, part of the wire contract. `job-codes.ts` of the API explains each. */
export const JOB_ERROR_CODES = [
  ...GEOMETRY_ERROR_CODES,
  'area_over_limit',
  'outside_coverage',
  'year_not_covered',
  'model_unknown',
  'too_many_grid_crossings',
  'too_many_patch_batches',
  'raster_too_large',
  'no_valid_cells',
  'covariate_unavailable',
  'model_invalid',
  'cancelled',
  'deadline',
  'internal',
] as const;
export type JobErrorCode = (typeof JOB_ERROR_CODES)[number];

/** Failures that may not occur again: retrying may succeed. */
const RETRYABLE: ReadonlySet<JobErrorCode> = new Set([
  'covariate_unavailable',
  'cancelled',
  'deadline',
  'internal',
]);

export function isRetryable(code: JobErrorCode): boolean {
  return RETRYABLE.has(code);
}

/** Failures caused by the service, of which the operator is alarmed: their charge is refunded. */
const SERVICE_FAULTS: ReadonlySet<JobErrorCode> = new Set([
  'covariate_unavailable',
  'model_invalid',
  'deadline',
  'internal',
]);

export function isServiceFault(code: JobErrorCode): boolean {
  return SERVICE_FAULTS.has(code);
}

export interface JobError {
  readonly code: JobErrorCode;
  /** A sentence for the sender: what is wrong, where, and what is allowed. */
  readonly message: string;
  readonly location: GeometryLocation | null;
}

/** Warnings about a job that runs nonetheless: a closed list, as above. */
export const JOB_WARNING_CODES = [
  'static_model',
  'smaller_than_cell',
  'partly_outside_coverage',
  'partly_outside_grid',
  'cells_without_data',
  'properties_dropped',
  'interval_unavailable',
  'impossible_values',
  'means_outside_bounds',
  'outside_training',
  'outside_applicability',
] as const;

export interface JobWarning {
  readonly code: (typeof JOB_WARNING_CODES)[number];
  readonly message: string;
}

/** The model that planning chose for the job. */
export interface JobModel {
  /** The model as `id@version`. */
  readonly id: string;
  readonly temporal: 'static' | 'period';
  /** First and last year of the data behind the map. */
  readonly dataPeriod: readonly [number, number];
  /** The digest over the digests of the pack's files. */
  readonly sha256: string;
}

export interface JobProgress {
  readonly totalPatchBatches: number;
  readonly completedPatchBatches: number;
  /** Cells inside the polygon; of the whole job, and of its completed patch-batches. */
  readonly pointCount: number;
  readonly completedPoints: number;
  /** Cells that received a value, so far. */
  readonly predictedPoints: number;
}

/** What a job has used so far, for the cost of its batch. */
export interface JobUsage {
  /** Invocations that its patch-batches were divided among. */
  readonly shares: number;
  /** The time of the job's own predictions: a reused block took none. */
  readonly predictionMs: number;
  /** It is absent until the job's raster is written. */
  readonly rasterBytes?: number;
}

/** The file of a job's raster. */
export interface JobResult {
  readonly bytes: number;
  /** The value of the HTTP header `ETag`, with its quotes. */
  readonly etag: string;
}

/** The raster of a job, as its upload left it. */
export interface FinishedRaster extends JobResult {
  /** Stored with the raster, so that whoever completes the job has it; absent if there is none. */
  readonly summary?: JobSummary;
}

export type JobState =
  | { readonly status: 'processing' }
  | { readonly status: 'completed'; readonly completedAt: Timestamp }
  | { readonly status: 'failed'; readonly completedAt: Timestamp; readonly error: JobError };

/** A job as stored. A job without an item is `pending`. */
export interface JobRecord {
  readonly index: number;
  readonly state: JobState;
  readonly updatedAt: Timestamp;
  /** It is null if the job failed before it was planned. */
  readonly model: JobModel | null;
  readonly progress: JobProgress | null;
  readonly warnings: readonly JobWarning[];
  /** It is absent before the job is planned. */
  readonly use?: JobUsage;
  /** It is absent before the job is completed. */
  readonly result?: JobResult;
  /** It is absent before the job is completed, and if the model predicts no mean of a quantity. */
  readonly summary?: JobSummary;
  /** The ids of all uploads of its raster; absent before the first. */
  readonly uploads?: readonly string[];
}

/** What the counts and the progress of a batch need of a job. */
export interface CountedJob {
  readonly state: Pick<JobState, 'status'>;
  readonly updatedAt: Timestamp;
  readonly progress: Pick<JobProgress, 'pointCount' | 'completedPoints'> | null;
}

export interface PlannedJob {
  readonly model: JobModel;
  readonly totalPatchBatches: number;
  /** Invocations that predict them. */
  readonly shares: number;
  readonly pointCount: number;
  readonly warnings: readonly JobWarning[];
}

/** Port to the job items. Reads are strongly consistent; every write states the status it requires. */
export interface JobStore {
  /** All jobs of the batch that are past `pending`, by index. */
  list(batchId: BatchId): Promise<readonly JobRecord[]>;
  /** Reads what counts need, at a tenth of the work of `list`. */
  listCounted(batchId: BatchId): Promise<readonly CountedJob[]>;
  read(batchId: BatchId, index: number): Promise<JobRecord | null>;
  /** absent → processing */
  begin(batchId: BatchId, index: number, planned: PlannedJob, at: Timestamp): Promise<Transition>;
  /** processing → processing, with one more upload id on the item */
  registerUpload(
    batchId: BatchId,
    index: number,
    uploadId: string,
    at: Timestamp,
  ): Promise<Transition>;
  /** processing → completed, with the result and the summary */
  complete(
    batchId: BatchId,
    index: number,
    at: Timestamp,
    raster: FinishedRaster,
  ): Promise<Transition>;
  /** absent or processing → failed */
  fail(batchId: BatchId, index: number, error: JobError, at: Timestamp): Promise<Transition>;
}
