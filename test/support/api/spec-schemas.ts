import * as z from 'zod';

/**
 * The resources of the specification's tables, written by hand from its text and not derived from the
 * service's own schemas, whose changes therefore fail tests. The objects are loose, because the design adds
 * fields but removes none.
 */
const time = z.iso.datetime({ precision: 3 });
const count = z.number().int().min(0);
const id = z.string().min(1);

/** Fields that the design adds to every job. */
const addedToJobs = {
  job_index: count,
  name: z.string().nullable(),
  year: z.number().int(),
  model: z.string().nullable(),
  temporal: z.enum(['static', 'period']).nullable(),
  data_period: z.tuple([z.number().int(), z.number().int()]).nullable(),
  point_count: count.nullable(),
  predicted_point_count: count.nullable(),
  summary: z.looseObject({ mean: z.number(), lower: z.number(), upper: z.number() }).nullable(),
  updated_at: time,
  warnings: z.array(z.strictObject({ code: id, message: id })),
};

const noError = {
  error_message: z.null(),
  error_code: z.null(),
  error_retryable: z.null(),
  error_location: z.null(),
};

const noUrl = {
  signed_cog_url: z.null(),
  signed_cog_url_created_at: z.null(),
  signed_url_expires_at: z.null(),
};

const finishedJob = z.discriminatedUnion('status', [
  z.looseObject({
    ...addedToJobs,
    ...noError,
    job_id: id,
    status: z.literal('completed'),
    model: z.string().regex(/^[a-z0-9._-]+@[0-9A-Za-z.+-]+$/),
    signed_cog_url: z.url(),
    signed_cog_url_created_at: time,
    signed_url_expires_at: time,
    created_at: time,
    completed_at: time,
  }),
  z.looseObject({
    ...addedToJobs,
    ...noUrl,
    job_id: id,
    status: z.literal('failed'),
    error_message: z.string().min(1),
    error_code: z.string().regex(/^[a-z_]+$/),
    error_retryable: z.boolean(),
    error_location: z
      .strictObject({ ring: count, vertex: count, lon: z.number(), lat: z.number() })
      .nullable(),
    created_at: time,
    completed_at: time,
  }),
]);

const unfinishedJob = z.looseObject({
  ...addedToJobs,
  ...noError,
  ...noUrl,
  job_id: id,
  status: z.enum(['pending', 'processing']),
  created_at: time,
  completed_at: z.null(),
});

const job = z.union([finishedJob, unfinishedJob]);

export const created = z.looseObject({
  batch_id: z.uuid(),
  status: z.literal('pending'),
  total_jobs: count,
  total_tasks: count,
  created_at: time,
  message: z.string(),
  job_ids: z.array(id),
});

export const batch = z
  .looseObject({
    batch_id: z.uuid(),
    status: z.enum(['pending', 'processing', 'completed', 'failed', 'partial']),
    total_tasks: count,
    completed_tasks: count,
    failed_tasks: count,
    pending_tasks: count,
    processing_tasks: count,
    total_jobs: count,
    completed_jobs: count,
    failed_jobs: count,
    pending_jobs: count,
    processing_jobs: count,
    progress: z.number().min(0).max(1),
    created_at: time,
    updated_at: time,
    started_at: time.nullable(),
    completed_at: time.nullable(),
    cancel_requested_at: time.nullable(),
    estimated_completion_at: time.nullable(),
    estimated_completion_range: z.strictObject({ earliest: time, latest: time }).nullable(),
    results_expire_at: time,
    metadata: z.looseObject({}).nullable(),
    jobs: z.array(job),
  })
  .refine((b) => b.completed_tasks + b.failed_tasks + b.pending_tasks === b.total_tasks, {
    message: 'completed + failed + pending = total',
  })
  .refine((b) => b.processing_tasks <= b.pending_tasks, {
    message: 'pending jobs include processing jobs',
  })
  .refine(
    (b) =>
      (['total', 'completed', 'failed', 'pending', 'processing'] as const).every(
        (name) => b[`${name}_tasks`] === b[`${name}_jobs`],
      ),
    { message: 'the aliases have the same values as the wire names' },
  )
  .refine((b) => (b.completed_at === null) === ['pending', 'processing'].includes(b.status), {
    message: 'completed_at is set exactly when the batch is final',
  });

const patchBatchFields = {
  patch_batch_idx: count,
  point_count: count,
  created_at: time.nullable(),
  updated_at: time.nullable(),
};

export const patchBatch = z.discriminatedUnion('status', [
  z.looseObject({
    ...patchBatchFields,
    status: z.enum(['pending', 'processing']),
    failure_reason: z.null(),
    predicted_point_count: z.null(),
    inference_duration_ms: z.null(),
  }),
  z.looseObject({
    ...patchBatchFields,
    status: z.literal('completed'),
    failure_reason: z.null(),
    predicted_point_count: count,
    inference_duration_ms: z.number().min(0),
  }),
  z.looseObject({
    ...patchBatchFields,
    status: z.literal('failed'),
    failure_reason: z.string().min(1),
    predicted_point_count: z.null(),
    inference_duration_ms: z.null(),
  }),
]);

export const jobDetail = z.intersection(
  job,
  z
    .looseObject({
      batch_id: z.uuid(),
      point_count: count.nullable(),
      predicted_point_count: count.nullable(),
      total_patch_batches: count.nullable(),
      completed_patch_batches: count.nullable(),
      patch_batches: z.array(patchBatch),
      has_more: z.boolean(),
      next_cursor: z.string().nullable(),
    })
    .refine((detail) => detail.has_more === (detail.next_cursor !== null), {
      message: 'next_cursor is set exactly when has_more is true',
    }),
);

export const webhook = z
  .looseObject({
    batch_id: z.uuid(),
    status: z.enum(['completed', 'failed', 'partial']),
    completed_jobs: count,
    failed_jobs: count,
    total_jobs: count,
    created_at: time,
    completed_at: time,
    metadata: z.looseObject({}).nullable(),
    jobs: z.array(finishedJob),
  })
  .refine((body) => body.completed_jobs + body.failed_jobs === body.total_jobs, {
    message: 'total_jobs equals completed_jobs + failed_jobs',
  });

export const problem = z.looseObject({
  type: z.string().min(1),
  title: z.string().min(1),
  status: z.number().int().min(400).max(599),
  detail: z.string().min(1),
  request_id: z.string().min(1),
  errors: z.array(z.strictObject({ pointer: z.string(), message: z.string().min(1) })).optional(),
});
