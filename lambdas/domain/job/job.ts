import * as z from 'zod/mini';
import { GEOMETRY_ERROR_CODES } from '#engine/geometry/problem.ts';
import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { Transition } from '../transition.ts';
import { count, time, type ViewOf } from '../wire.ts';
import { storedSummary } from './job-summary.ts';

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

/** A place in the polygon as sent: ring and vertex counted from 0, in degrees of WGS 84. */
export const storedLocation = z.object({
  ring: count,
  vertex: count,
  lon: z.number(),
  lat: z.number(),
});

export const storedError = z.object({
  code: z.enum(JOB_ERROR_CODES),
  /** A sentence for the sender: what is wrong, where, and what is allowed. */
  message: z.string(),
  location: z.nullable(storedLocation),
});

export type JobError = ViewOf<typeof storedError>;

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

export const storedWarning = z.object({ code: z.enum(JOB_WARNING_CODES), message: z.string() });

export type JobWarning = ViewOf<typeof storedWarning>;

/** The model that planning chose for the job. */
const jobModel = z.object({
  /** The model as `id@version`. */
  id: z.string(),
  temporal: z.enum(['static', 'period']),
  /** First and last year of the data behind the map. */
  data_period: z.tuple([z.int(), z.int()]),
  /** The digest over the digests of the pack's files. */
  sha256: z.string(),
});

export type JobModel = ViewOf<typeof jobModel>;

/** What planning tells of a job. */
export const plannedJob = z.object({
  model: jobModel,
  warnings: z.array(storedWarning),
  total_patch_batches: count,
  /** Invocations that its patch-batches are divided among. */
  shares: count,
  /** Cells inside the polygon. */
  point_count: count,
});

export type PlannedJob = ViewOf<typeof plannedJob>;

/** The raster of a job, as its upload left it. */
export const finishedRaster = z.object({
  raster_bytes: count,
  /** The value of the HTTP header `ETag`, with its quotes. */
  raster_etag: z.string(),
  /**
   * Stored with the raster, so that whoever completes the job has it; absent if no band of the model is the
   * mean of a quantity.
   */
  summary: z.exactOptional(storedSummary),
});

export type FinishedRaster = ViewOf<typeof finishedRaster>;

const common = {
  job_index: count,
  updated_at: time,
  /** The ids of all uploads of its raster; absent before the first. */
  uploads: z.exactOptional(z.array(z.string())),
};

const running = {
  ...plannedJob.shape,
  completed_patch_batches: count,
  /** Cells of the completed patch-batches, and those of them that received a value. */
  completed_points: count,
  predicted_points: count,
  /** The time of the job's own predictions: a reused block took none. */
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
    // All are absent if it failed before it was planned.
    ...z.partial(z.object(running)).shape,
    completed_at: time,
    error: storedError,
  }),
]);

export type JobRecord = ViewOf<typeof jobRecord>;

export type ProcessingRecord = Extract<JobRecord, { status: 'processing' }>;
export type CompletedRecord = Extract<JobRecord, { status: 'completed' }>;

/** What the counts and the progress of a batch need of a job. */
export const countedJob = z.object({
  status: z.enum(['processing', 'completed', 'failed']),
  updated_at: time,
  ...z.partial(z.object({ point_count: count, completed_points: count })).shape,
});

export type CountedJob = ViewOf<typeof countedJob>;

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
