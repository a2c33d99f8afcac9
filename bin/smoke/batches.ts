import * as z from 'zod';
import { type ApiClient, read } from './api-client.ts';
import { waitFor } from './check.ts';

/** The largest example takes a minute without warm functions; a busy account needs longer. */
const BATCH_SECONDS = 600;

export const job = z.looseObject({
  job_id: z.string(),
  job_index: z.number(),
  status: z.string(),
  signed_cog_url: z.string().nullable(),
  signed_url_expires_at: z.string().nullable(),
  error_code: z.string().nullable(),
  error_retryable: z.boolean().nullable().optional(),
  error_message: z.string().nullable(),
});

const status = z.looseObject({
  batch_id: z.string(),
  status: z.enum(['pending', 'processing', 'completed', 'failed', 'partial']),
  total_tasks: z.number(),
  completed_tasks: z.number(),
  failed_tasks: z.number(),
  metadata: z.unknown().optional(),
  jobs: z.array(job),
});

export const created = z.looseObject({
  batch_id: z.string(),
  job_ids: z.record(z.string(), z.string()),
  total_jobs: z.number(),
});

export type Job = z.infer<typeof job>;
export type BatchStatus = z.infer<typeof status>;

export async function create(api: ApiClient, request: object): Promise<z.infer<typeof created>> {
  return read(created, await api.call('createBatch', { body: JSON.stringify(request) }));
}

async function statusOf(api: ApiClient, batch_id: string): Promise<BatchStatus> {
  return read(status, await api.call('getBatchStatus', { path: { batch_id } }));
}

/** @throws Error if the batch does not end in time */
export function finished(api: ApiClient, batchId: string): Promise<BatchStatus> {
  return waitFor(
    `batch ${batchId} ends`,
    BATCH_SECONDS,
    () => statusOf(api, batchId),
    (batch) => !['pending', 'processing'].includes(batch.status),
  );
}
