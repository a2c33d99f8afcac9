import * as z from 'zod/mini';
import { batchState } from '../../../domain/batch/batch-schema.ts';
import { batchId, count, jobId, time, type ViewOf } from '../../../domain/wire.ts';
import { named } from '../../specification/published.ts';

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
