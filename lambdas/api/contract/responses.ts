import * as z from 'zod';
import { batchMembers, batchStatus } from '../../domain/batch/batch-schema.ts';
import { INCONSISTENT, isConsistent, jobMember, jobMembers } from '../../domain/job/job-schema.ts';
import { patchBatchMember } from '../../domain/patch-batch/patch-batch-schema.ts';
import { batchId, count, jobId, type Told, time } from '../../domain/wire.ts';

/** Every answer of the API, strictly: what the published specification says and tests check. */

const jobIds = z.record(z.string().regex(/^(0|[1-9]\d*)$/), jobId);

export const creationResponse = z.strictObject({
  batch_id: batchId,
  status: z.literal('pending'),
  total_jobs: count,
  total_tasks: count,
  job_ids: jobIds.describe('From a job’s index in the request, as text, to its id'),
  created_at: time,
  message: z.string().describe('For a person: where to look, and what the webhook will do'),
});

export const retryResponse = creationResponse.extend({
  status: batchStatus.describe('Of the new batch: asked for again, it may have begun or ended'),
  job_ids: jobIds.describe('From a job’s index in the new batch, as text, to its id'),
  message: z.string().describe('For a person: where to look, and how many jobs will fail again'),
  retry_of: batchId.describe('The batch whose failed jobs these are'),
});

const pageMembers = {
  has_more: z.boolean(),
  next_cursor: z.string().nullable().describe('Opens the next page, unchanged; null on the last'),
} as const;

export const batchStatusResponse = z
  .strictObject({
    ...batchMembers,
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

export const jobStatusResponse = z
  .strictObject({
    ...jobMembers,
    batch_id: batchId,
    total_patch_batches: count.nullable(),
    completed_patch_batches: count.nullable(),
    patch_batches: z.array(patchBatchMember).describe('One page of them'),
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
    .array(
      z.strictObject({
        pointer: z
          .string()
          .describe('JSON pointer (RFC 6901) into the body; of a parameter `/` and its name'),
        message: z.string().min(1).describe('What is wrong, what is allowed, and what came'),
      }),
    )
    .min(1)
    .max(20)
    .optional(),
});

export type CreationResponse = Told<typeof creationResponse>;
export type RetryResponse = Told<typeof retryResponse>;
export type JobStatusResponse = Told<typeof jobStatusResponse>;
export type HealthResponse = Told<typeof healthResponse>;
