import * as z from 'zod/mini';
import type { RawJson } from '#engine/json/raw-json.ts';
import { jobSchema } from '../job/reading/job-schema.ts';
import { batchId, count, time, type ViewOf } from '../wire.ts';
import { BATCH_STATUSES, FINAL_BATCH_STATUSES } from './batch.ts';
import { displayRange } from './display-ranges.ts';

export const batchState = z.enum(BATCH_STATUSES);
export const finalBatchState = z.enum(FINAL_BATCH_STATUSES);

const origin = {
  name: z.nullable(z.string()).check(z.describe('Your name for the batch')),
  metadata: z
    .nullable(z.record(z.string(), z.unknown()))
    .check(z.describe('The JSON sent at creation, unchanged')),
  retry_of: z
    .optional(batchId)
    .check(z.describe('Only in a retry: the batch whose failed jobs this one runs again')),
};

export const batchFields = {
  batch_id: batchId,
  status: batchState,
  total_tasks: count,
  completed_tasks: count,
  failed_tasks: count,
  pending_tasks: count.check(z.describe('Jobs that are not final, including those processing')),
  processing_tasks: count.check(z.describe('Jobs being processed; also counted as pending')),
  total_jobs: count.check(z.describe('The same as `total_tasks`')),
  completed_jobs: count.check(z.describe('The same as `completed_tasks`')),
  failed_jobs: count.check(z.describe('The same as `failed_tasks`')),
  pending_jobs: count.check(z.describe('The same as `pending_tasks`')),
  processing_jobs: count.check(z.describe('The same as `processing_tasks`')),
  progress: z
    .number()
    .check(
      z.minimum(0),
      z.maximum(1),
      z.describe(
        'Mean of the predicted fractions of all jobs; the fraction of a final job is 1. Never falls',
      ),
    ),
  created_at: time,
  started_at: z.nullable(time),
  updated_at: time,
  completed_at: z.nullable(time),
  cancel_requested_at: z
    .nullable(time)
    .check(
      z.describe(
        'When cancellation was requested; the batch then ends without further requests. Null if it was not requested',
      ),
    ),
  estimated_completion_at: z
    .nullable(time)
    .check(
      z.describe(
        'When the batch will be done at the rate so far. Null until there is a rate, and once all jobs are final or cancellation was requested',
      ),
    ),
  estimated_completion_range: z
    .nullable(z.strictObject({ earliest: time, latest: time }))
    .check(
      z.describe(
        'When the batch will probably be done, estimated from the durations of the service’s recent batches and from the rate so far. Null if the service has finished no batch recently, if this batch has no progress and takes longer than recent batches, and once this batch is final or its cancellation was requested',
      ),
    ),
  results_expire_at: time.check(z.describe('When the batch and its results stop being readable')),
  ...origin,
  display_ranges: z
    .optional(z.array(z.strictObject(displayRange.shape)))
    .check(
      z.describe(
        'For each model, the values to draw in the lowest and in the highest colour, so that the maps of different jobs can be compared: the mean of all cells ± 2 standard deviations, limited to the lowest and highest cell value. Absent until the batch is final. A model is not listed if it predicts no mean, or if its cells all have nearly the same value',
      ),
    ),
} as const;

/** The body of the completion webhook. */
export const webhookBody = z
  .strictObject({
    batch_id: batchId,
    status: finalBatchState,
    completed_jobs: count,
    failed_jobs: count,
    total_jobs: count.check(z.describe('`completed_jobs` + `failed_jobs`')),
    created_at: time,
    completed_at: time,
    results_expire_at: time,
    ...origin,
    jobs: z
      .array(jobSchema)
      .check(
        z.describe(
          'As in the batch status, but without `result_url` and `item_url`; empty with `webhook_jobs: "none"`',
        ),
      ),
    jobs_omitted: z.optional(z.literal(true)).check(z.describe('Only with `webhook_jobs: "none"`')),
    redelivery: z
      .optional(z.int().check(z.minimum(1)))
      .check(z.describe('Only in redeliveries: the number of the redelivery, from 1')),
    test: z
      .optional(z.literal(true))
      .check(z.describe('Only in a sample from `POST /v1/webhooks/test`')),
  })
  .check(
    z.refine(
      (body) => body.completed_jobs + body.failed_jobs === body.total_jobs,
      'the job counts do not add up',
    ),
  );

/** A view with `metadata` as its original text. */
type AsSent<View> = Omit<View, 'metadata'> & { readonly metadata: RawJson | null };

const batch = z.strictObject(batchFields);

export type BatchView = AsSent<ViewOf<typeof batch>>;
export type WebhookView = AsSent<ViewOf<typeof webhookBody>>;
