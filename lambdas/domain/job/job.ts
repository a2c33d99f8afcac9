import { GEOMETRY_ERROR_CODES, type GeometryLocation } from '../../geometry/problem.ts';
import type { Timestamp } from '../clock.ts';

/** Why a job failed: a closed list, part of the wire contract. `docs/errors.md` explains each. */
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

/** Failures of ours: asking again may succeed. */
const RETRYABLE: ReadonlySet<JobErrorCode> = new Set([
  'covariate_unavailable',
  'cancelled',
  'deadline',
  'internal',
]);

export function isRetryable(code: JobErrorCode): boolean {
  return RETRYABLE.has(code);
}

/** Failures that nobody asked for: what their jobs took of a quota is given back. */
const SERVICE_FAULTS: ReadonlySet<JobErrorCode> = new Set([
  'covariate_unavailable',
  'deadline',
  'internal',
]);

export function isServiceFault(code: JobErrorCode): boolean {
  return SERVICE_FAULTS.has(code);
}

export interface JobError {
  readonly code: JobErrorCode;
  /** For a person: what is wrong, where, what is allowed. */
  readonly message: string;
  readonly location: GeometryLocation | null;
}

/** What a person should know of a job that runs all the same: a closed list, as above. */
export const JOB_WARNING_CODES = [
  'static_model',
  'smaller_than_cell',
  'partly_outside_coverage',
  'partly_outside_grid',
  'cells_without_data',
] as const;

export interface JobWarning {
  readonly code: (typeof JOB_WARNING_CODES)[number];
  readonly message: string;
}

/** What planning found out about the job's model. */
export interface JobModel {
  /** `id@version` */
  readonly id: string;
  readonly temporal: 'static' | 'period';
  /** First and last year of the data behind the map. */
  readonly dataPeriod: readonly [number, number];
}

export interface JobProgress {
  readonly totalPatchBatches: number;
  readonly completedPatchBatches: number;
  /** Cells inside the polygon, of the whole job and of its completed patch-batches. */
  readonly pointCount: number;
  readonly completedPoints: number;
  /** Cells that received a value, so far. */
  readonly predictedPoints: number;
}

/** What a job used so far, for the cost of its batch. */
export interface JobUsage {
  /** Invocations that its patch-batches were divided among. */
  readonly shares: number;
  /** Of its own predictions: what a retry reused took none. */
  readonly predictionMs: number;
  /** Absent until its raster is written. */
  readonly rasterBytes?: number;
}

export type JobState =
  | { readonly status: 'processing' }
  | { readonly status: 'completed'; readonly completedAt: Timestamp }
  | { readonly status: 'failed'; readonly completedAt: Timestamp; readonly error: JobError };

/** A job as stored, from its first transition on; a job without one is `pending`. */
export interface JobRecord {
  readonly index: number;
  readonly state: JobState;
  readonly updatedAt: Timestamp;
  /** Null when the job failed before it could be planned. */
  readonly model: JobModel | null;
  readonly progress: JobProgress | null;
  readonly warnings: readonly JobWarning[];
  /** Absent before the job is planned, and in what was stored before use was counted. */
  readonly use?: JobUsage;
  /** Every upload of its raster that was begun while it ran; absent before the first. */
  readonly uploads?: readonly string[];
}

/** As it is told: a job without a record is `pending`. */
export type JobStatus = 'pending' | JobState['status'];
