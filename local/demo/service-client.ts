import * as z from 'zod';
import { summarySchema } from '../../lambdas/domain/job/job-summary.ts';

/** The fields of responses that the demo reads. */
const created = z.object({
  batch_id: z.string(),
  job_ids: z.record(z.string(), z.string()),
  message: z.string(),
});

const batchStatus = z.object({
  status: z.enum(['pending', 'processing', 'completed', 'failed', 'partial']),
  jobs: z.array(
    z.object({
      job_id: z.string(),
      name: z.string().nullable(),
      year: z.number(),
      status: z.enum(['pending', 'processing', 'completed', 'failed']),
      model: z.string().nullable(),
      signed_cog_url: z.string().nullable(),
      error_message: z.string().nullable(),
      summary: z.nullable(summarySchema),
    }),
  ),
});

const jobStatus = z.object({
  total_patch_batches: z.number().nullable(),
  completed_patch_batches: z.number().nullable(),
});

const models = z.object({
  models: z.array(
    z.object({
      model: z.string(),
      bands: z.array(z.object({ display_range: z.tuple([z.number(), z.number()]).nullable() })),
    }),
  ),
});

export type Models = z.infer<typeof models>;
export type BatchStatus = z.infer<typeof batchStatus>;
export type JobOfBatch = BatchStatus['jobs'][number];

export interface ServiceClient {
  create(batch: object): Promise<z.infer<typeof created>>;
  batchStatus(batchId: string): Promise<BatchStatus>;
  jobStatus(batchId: string, jobId: string): Promise<z.infer<typeof jobStatus>>;
  models(): Promise<Models>;
}

/** A client of the HTTP API. */
export function serviceClient(baseUrl: string, apiKey: string): ServiceClient {
  const call = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${init.method ?? 'GET'} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  return {
    create: async (batch) =>
      created.parse(await call('/v1/batch', { method: 'POST', body: JSON.stringify(batch) })),
    batchStatus: async (batchId) => batchStatus.parse(await call(`/v1/batch/${batchId}/status`)),
    jobStatus: async (batchId, jobId) =>
      jobStatus.parse(await call(`/v1/batch/${batchId}/jobs/${jobId}/status?limit=1`)),
    models: async () => models.parse(await call('/v1/models')),
  };
}
