import * as z from 'zod/mini';
import { GEOMETRY_ERROR_CODES } from '#engine/geometry/problem.ts';
import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { Transition } from '../transition.ts';
import { count, time, type ViewOf } from '../wire.ts';
import { storedSummary } from './job-summary.ts';

/** Why a job failed: a closed list that is part of the wire contract. `job-codes.ts` in the API explains each code. */
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

/** Failures that need not occur again, so that a retry may succeed. */
const RETRYABLE: ReadonlySet<JobErrorCode> = new Set([
  'covariate_unavailable',
  'cancelled',
  'deadline',
  'internal',
]);

export function isRetryable(code: JobErrorCode): boolean {
  return RETRYABLE.has(code);
}

/**
 * Failures caused by the service. The operator's alarm on failed jobs counts them, and their charge is refunded (for
 * `model_invalid` up to a daily bound).
 */
const SERVICE_FAULTS: ReadonlySet<JobErrorCode> = new Set([
  'covariate_unavailable',
  'model_invalid',
  'deadline',
  'internal',
]);

export function isServiceFault(code: JobErrorCode): boolean {
  return SERVICE_FAULTS.has(code);
}

/** A place in the polygon as sent: ring and vertex counted from 0, position in degrees (WGS 84). */
export const storedLocation = z.object({
  ring: count,
  vertex: count,
  lon: z.number(),
  lat: z.number(),
});

export const storedError = z.object({
  code: z.enum(JOB_ERROR_CODES),
  /** Tells the sender what is wrong, where, and what is allowed. */
  message: z.string(),
  location: z.nullable(storedLocation),
});

export type JobError = ViewOf<typeof storedError>;

/** Warnings about a job, which do not fail it: a closed list that is part of the wire contract. */
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

export const storedWarning = z.object({ code: z.enum(JOB_WARNING_CODES), message: z.string() });

export type JobWarning = ViewOf<typeof storedWarning>;

const jobModel = z.object({
  /** The model as `id@version`. */
  id: z.string(),
  temporal: z.enum(['static', 'period']),
  /** First and last year of the data behind the map. */
  data_period: z.tuple([z.int(), z.int()]),
  /** The digest of the digests of the pack's files. */
  sha256: z.string(),
});

export type JobModel = ViewOf<typeof jobModel>;

export const plannedJob = z.object({
  model: jobModel,
  warnings: z.array(storedWarning),
  total_patch_batches: count,
  /** The number of invocations among which the patch-batches are divided. */
  shares: count,
  /** The number of cells that belong to the polygon. */
  point_count: count,
});

export type PlannedJob = ViewOf<typeof plannedJob>;

export const finishedRaster = z.object({
  raster_bytes: count,
  /** The value of the HTTP header `ETag`, including its quotes. */
  raster_etag: z.string(),
  /** Stored with the raster, so that whichever step completes the job has it; absent if the job has no mean. */
  summary: z.exactOptional(storedSummary),
});

export type FinishedRaster = ViewOf<typeof finishedRaster>;

const common = {
  job_index: count,
  updated_at: time,
  /** The IDs of all uploads of the raster; absent before the first. */
  uploads: z.exactOptional(z.array(z.string())),
};

const running = {
  ...plannedJob.shape,
  completed_patch_batches: count,
  /** Cells in completed patch-batches, and those of them that received a value. */
  completed_points: count,
  predicted_points: count,
  /** The total time of the job's own predictions; a reused block adds nothing. */
  prediction_ms: z.number(),
};

/** A job as stored. A job without an item is `pending`. */
export const jobRecord = z.discriminatedUnion('status', [
  z.object({ status: z.literal('processing'), ...common, ...running }),
  z.object({
    status: z.literal('completed'),
    ...common,
    ...running,
    ...finishedRaster.shape,
    completed_at: time,
  }),
  z.object({
    status: z.literal('failed'),
    ...common,
    // All are absent if the job failed before it was planned.
    ...z.partial(z.object(running)).shape,
    completed_at: time,
    error: storedError,
  }),
]);

export type JobRecord = ViewOf<typeof jobRecord>;

export type ProcessingRecord = Extract<JobRecord, { status: 'processing' }>;
export type CompletedRecord = Extract<JobRecord, { status: 'completed' }>;

export const countedJob = z.object({
  status: z.enum(['processing', 'completed', 'failed']),
  updated_at: time,
  ...z.partial(z.object({ point_count: count, completed_points: count })).shape,
});

export type CountedJob = ViewOf<typeof countedJob>;

/** Reads are strongly consistent, and every write states the status that it requires. */
export interface JobStore {
  /** Lists all jobs of the batch that are past `pending`, by index. */
  list(batchId: BatchId): Promise<readonly JobRecord[]>;
  /** Reads only what counts need, which is less work than `list`. */
  listCounted(batchId: BatchId): Promise<readonly CountedJob[]>;
  read(batchId: BatchId, index: number): Promise<JobRecord | null>;
  /** Changes the state from absent to processing. */
  begin(batchId: BatchId, index: number, planned: PlannedJob, at: Timestamp): Promise<Transition>;
  registerUpload(
    batchId: BatchId,
    index: number,
    uploadId: string,
    at: Timestamp,
  ): Promise<Transition>;
  complete(
    batchId: BatchId,
    index: number,
    at: Timestamp,
    raster: FinishedRaster,
  ): Promise<Transition>;
  /** Changes the state from absent or processing to failed. */
  fail(batchId: BatchId, index: number, error: JobError, at: Timestamp): Promise<Transition>;
}
