import * as z from 'zod';
import { batchId, count, jobMember, origin, time } from './responses.ts';

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
