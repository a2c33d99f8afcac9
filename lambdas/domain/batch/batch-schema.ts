import * as z from 'zod';
import { jobMember } from '../job/job-schema.ts';
import type { RawJson } from '../json/raw-json.ts';
import { batchId, count, type Told, time } from '../wire.ts';
import { BATCH_STATUSES } from './batch.ts';

export const batchStatus = z.enum(BATCH_STATUSES);

/** Where a batch comes from, in its status as in its webhook. */
const origin = {
  metadata: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('The text sent at creation, unchanged'),
  retry_of: batchId
    .optional()
    .describe('There in a retry only: the batch whose failed jobs these are'),
};

/** A batch without its jobs. */
export const batchMembers = {
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
} as const;

/** The body of the completion webhook. */
export const webhookBody = z
  .strictObject({
    batch_id: batchId,
    status: z.enum(['completed', 'failed', 'partial']),
    completed_jobs: count,
    failed_jobs: count,
    total_jobs: count.describe('`completed_jobs` + `failed_jobs`'),
    created_at: time,
    completed_at: time,
    results_expire_at: time,
    ...origin,
    jobs: z.array(jobMember).describe('As in the batch status; empty with `webhook_jobs: "none"`'),
    jobs_omitted: z.literal(true).optional().describe('There with `webhook_jobs: "none"` only'),
    redelivery: z
      .int()
      .min(1)
      .optional()
      .describe('There in redeliveries only: which one this is, from 1'),
    test: z.literal(true).optional().describe('There in a sample of `POST /v1/webhooks/test` only'),
  })
  .refine(
    (body) => body.completed_jobs + body.failed_jobs === body.total_jobs,
    'the counts do not add up',
  );

/** As a view writes it: `metadata` is the text that was sent. */
type AsSent<Told> = Omit<Told, 'metadata'> & { readonly metadata: RawJson | null };

const batch = z.strictObject(batchMembers);

export type BatchView = AsSent<Told<typeof batch>>;
export type WebhookView = AsSent<Told<typeof webhookBody>>;
