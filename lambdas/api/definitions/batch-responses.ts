import * as z from 'zod/mini';
import { batchFields, batchState } from '../../domain/batch/batch-schema.ts';
import { batchId, count, jobId, time, type ViewOf } from '../../domain/wire.ts';
import { named } from '../specification/published.ts';
import { jobModels, statusJob } from './jobs.ts';
import { pageFields } from './page-fields.ts';

export const batchStatusResponse = named(
  'BatchStatus',
  z
    .strictObject({
      ...batchFields,
      jobs: z.array(statusJob),
      models: jobModels,
      has_more: z.optional(pageFields.has_more),
      next_cursor: z.optional(pageFields.next_cursor),
    })
    .check(
      z.refine(
        (batch) =>
          batch.total_tasks === batch.total_jobs &&
          batch.completed_tasks === batch.completed_jobs &&
          batch.failed_tasks === batch.failed_jobs &&
          batch.pending_tasks === batch.pending_jobs &&
          batch.processing_tasks === batch.processing_jobs,
        'a count differs from its alias',
      ),
      z.refine(
        (batch) =>
          batch.completed_tasks + batch.failed_tasks + batch.pending_tasks === batch.total_tasks &&
          batch.processing_tasks <= batch.pending_tasks,
        'the counts do not add up',
      ),
    ),
);

/** The response of `GET /v1/batch`. */
export const batchListResponse = named(
  'BatchList',
  z
    .strictObject({
      batches: z
        .array(batchStatusResponse)
        .check(
          z.describe('Newest first. Each has the fields of its batch status, with `jobs` empty'),
        ),
      has_more: z.boolean(),
      next_cursor: z
        .nullable(z.string())
        .check(z.describe('The cursor of the next page, to send unchanged; null on the last page')),
    })
    .check(
      z.refine(
        (list) => list.has_more === (list.next_cursor !== null),
        'has_more contradicts next_cursor',
      ),
    ),
);

const jobIds = z.record(z.string().check(z.regex(/^(0|[1-9]\d*)$/)), jobId);

export const creationResponse = named(
  'BatchCreated',
  z.strictObject({
    batch_id: batchId,
    status: z.literal('pending'),
    total_jobs: count,
    total_tasks: count,
    job_ids: jobIds.check(z.describe('Job ids by the job’s index in the request, as text')),
    created_at: time,
    message: z
      .string()
      .check(z.describe('For people: the status URL, and what the webhook will do')),
  }),
);

export const retryResponse = named(
  'BatchRetried',
  z.extend(creationResponse, {
    status: batchState.check(
      z.describe('Of the new batch; a repeated request returns its current status'),
    ),
    job_ids: jobIds.check(z.describe('Job ids by the job’s index in the new batch, as text')),
    message: z
      .string()
      .check(z.describe('For people: the status URL, and how many jobs will fail again')),
    retry_of: batchId.check(z.describe('The batch whose failed jobs are retried')),
  }),
);

export type CreationResponse = ViewOf<typeof creationResponse>;
export type RetryResponse = ViewOf<typeof retryResponse>;
