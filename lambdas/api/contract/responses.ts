import * as z from 'zod';
import { BATCH_STATUSES } from '../../domain/batch/batch.ts';
import { JOB_ERROR_CODES, JOB_WARNING_CODES } from '../../domain/job/job.ts';

/** Every answer of the API, strictly: what the published specification says and tests check. */

export const time = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
export const count = z.number().int().nonnegative();
export const batchId = z.uuid({ version: 'v7' });
const jobId = z.uuid({ version: 'v5' });

export const batchStatus = z.enum(BATCH_STATUSES);
const workStatus = z.enum(['pending', 'processing', 'completed', 'failed']);

export const creationResponse = z.strictObject({
  batch_id: batchId,
  status: z.literal('pending'),
  total_jobs: count,
  total_tasks: count,
  job_ids: z
    .record(z.string().regex(/^(0|[1-9]\d*)$/), jobId)
    .describe('From a job’s index in the request, as text, to its id'),
  created_at: time,
  message: z.string().describe('For a person: where to look, and what the webhook will do'),
});

export const retryResponse = creationResponse.extend({
  status: batchStatus.describe('Of the new batch: asked for again, it may have begun or ended'),
  retry_of: batchId.describe('The batch whose failed jobs these are'),
});

const errorLocation = z.strictObject({
  ring: count,
  vertex: count,
  lon: z.number(),
  lat: z.number(),
});

/** What the map's data really are, of a job as of its estimate. */
export const mapData = {
  temporal: z
    .enum(['static', 'period'])
    .nullable()
    .describe('`static`: the year asked for changes nothing'),
  data_period: z
    .tuple([z.number().int(), z.number().int()])
    .nullable()
    .describe('First and last year of the data behind the map'),
};

/** Where a batch comes from, in its status as in its webhook. */
export const origin = {
  metadata: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('The text sent at creation, unchanged'),
  retry_of: batchId
    .optional()
    .describe('There in a retry only: the batch whose failed jobs these are'),
};

const jobMembers = {
  job_id: jobId,
  job_index: count.describe('Position in the request, from 0'),
  retry_of_job_id: jobId
    .optional()
    .describe('There in a retry only: the failed job that this one runs again'),
  name: z.string().nullable().describe('As sent, or the id of the Feature'),
  year: z.number().int(),
  status: workStatus,
  model: z.string().nullable().describe('`id@version`; null until the job is planned'),
  ...mapData,
  signed_cog_url: z
    .url()
    .nullable()
    .describe('The raster, for 24 hours; null unless the job is completed'),
  signed_cog_url_created_at: time.nullable(),
  signed_url_expires_at: time.nullable().describe('By the URL’s own date and expiry'),
  error_message: z.string().min(1).nullable().describe('What failed, where, what is allowed'),
  error_code: z.enum(JOB_ERROR_CODES).nullable(),
  error_retryable: z.boolean().nullable().describe('Whether the same job may succeed later'),
  error_location: errorLocation.nullable().describe('Counted from 0, in degrees of WGS 84'),
  point_count: count.nullable().describe('Cells inside the polygon; null until it is planned'),
  predicted_point_count: count.nullable().describe('Cells with a value, so far'),
  warnings: z.array(z.strictObject({ code: z.enum(JOB_WARNING_CODES), message: z.string() })),
  created_at: time,
  updated_at: time,
  completed_at: time.nullable(),
} as const;

interface JobOutcome {
  readonly status: z.infer<typeof workStatus>;
  readonly signed_cog_url: string | null;
  readonly signed_url_expires_at: string | null;
  readonly error_message: string | null;
  readonly completed_at: string | null;
}

/** A URL exactly when completed, an error exactly when failed, an end exactly when either. */
function isConsistent(job: JobOutcome): boolean {
  const completed = job.status === 'completed';
  const failed = job.status === 'failed';
  return (
    (job.signed_cog_url !== null) === completed &&
    (job.signed_url_expires_at !== null) === completed &&
    (job.error_message !== null) === failed &&
    (job.completed_at !== null) === (completed || failed)
  );
}

const INCONSISTENT = 'status, URL, error and completed_at contradict each other';

export const jobMember = z.strictObject(jobMembers).refine(isConsistent, INCONSISTENT);

const pageMembers = {
  has_more: z.boolean(),
  next_cursor: z.string().nullable().describe('Opens the next page, unchanged; null on the last'),
} as const;

export const batchStatusResponse = z
  .strictObject({
    batch_id: batchId,
    status: batchStatus,
    total_tasks: count,
    completed_tasks: count,
    failed_tasks: count,
    pending_tasks: count.describe('All that are not final, so processing ones too'),
    processing_tasks: count.describe('A part of the pending ones'),
    total_jobs: count.describe('The same as `total_tasks`'),
    completed_jobs: count.describe('The same as `completed_tasks`'),
    failed_jobs: count.describe('The same as `failed_tasks`'),
    pending_jobs: count.describe('The same as `pending_tasks`'),
    processing_jobs: count.describe('The same as `processing_tasks`'),
    progress: z.number().min(0).max(1).describe('Never falls'),
    created_at: time,
    started_at: time.nullable(),
    updated_at: time,
    completed_at: time.nullable(),
    estimated_completion_at: time.nullable().describe('Null until there is a measured rate'),
    results_expire_at: time.describe('Until then the batch and its results can be read'),
    ...origin,
    jobs: z.array(jobMember),
    has_more: pageMembers.has_more.optional(),
    next_cursor: pageMembers.next_cursor.optional(),
  })
  .refine(
    (batch) =>
      batch.total_tasks === batch.total_jobs &&
      batch.completed_tasks === batch.completed_jobs &&
      batch.failed_tasks === batch.failed_jobs &&
      batch.pending_tasks === batch.pending_jobs &&
      batch.processing_tasks === batch.processing_jobs,
    'a count differs from its alias',
  )
  .refine(
    (batch) =>
      batch.completed_tasks + batch.failed_tasks + batch.pending_tasks === batch.total_tasks &&
      batch.processing_tasks <= batch.pending_tasks,
    'the counts do not add up',
  );

export const patchBatchResponse = z
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

export const jobStatusResponse = z
  .strictObject({
    ...jobMembers,
    batch_id: batchId,
    total_patch_batches: count.nullable(),
    completed_patch_batches: count.nullable(),
    patch_batches: z.array(patchBatchResponse).describe('One page of them'),
    ...pageMembers,
  })
  .refine(isConsistent, INCONSISTENT)
  .refine((job) => job.has_more === (job.next_cursor !== null), 'has_more contradicts next_cursor');

export const healthResponse = z.strictObject({
  status: z.literal('ok'),
  version: z.string().min(1),
  deployment: z.enum(['v1', 'v2']),
});

/** RFC 9457; `pointer` is a JSON pointer into the body, or a slash and a parameter's name. */
export const problemBody = z.strictObject({
  type: z.url().describe('The page that explains this kind of problem'),
  title: z.string().min(1),
  status: z.number().int().min(400).max(599),
  detail: z.string().min(1),
  instance: z.string().regex(/^\//).describe('The path asked for'),
  request_id: z.string().min(1).describe('Finds the request in the service’s logs'),
  errors: z
    .array(z.strictObject({ pointer: z.string(), message: z.string().min(1) }))
    .min(1)
    .max(20)
    .optional(),
});
