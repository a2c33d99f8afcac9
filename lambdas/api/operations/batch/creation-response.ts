import * as z from 'zod/mini';
import { batchStatus } from '../../../domain/batch/batch-schema.ts';
import { batchId, count, jobId, type Told, time } from '../../../domain/wire.ts';
import { named } from '../../specification/published.ts';

const jobIds = z.record(z.string().check(z.regex(/^(0|[1-9]\d*)$/)), jobId);

export const creationResponse = named(
  'BatchCreated',
  z.strictObject({
    batch_id: batchId,
    status: z.literal('pending'),
    total_jobs: count,
    total_tasks: count,
    job_ids: jobIds.check(z.describe('From a job’s index in the request, as text, to its id')),
    created_at: time,
    message: z
      .string()
      .check(z.describe('For a person: where to look, and what the webhook will do')),
  }),
);

export const retryResponse = named(
  'BatchRetried',
  z.extend(creationResponse, {
    status: batchStatus.check(
      z.describe('Of the new batch: asked for again, it may have begun or ended'),
    ),
    job_ids: jobIds.check(z.describe('From a job’s index in the new batch, as text, to its id')),
    message: z
      .string()
      .check(z.describe('For a person: where to look, and how many jobs will fail again')),
    retry_of: batchId.check(z.describe('The batch whose failed jobs these are')),
  }),
);

export type CreationResponse = Told<typeof creationResponse>;
export type RetryResponse = Told<typeof retryResponse>;
