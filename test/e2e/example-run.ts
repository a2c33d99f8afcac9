import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { z } from 'zod';
import type { HttpClient } from '../support/api/http-client.ts';
import type { HttpResponse } from '../support/api/http-response.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { type Delivery, webhookReceiver } from '../support/delivery/webhook-receiver.ts';

export const SECRET = 'a shared secret – ünïcode';
export const METADATA =
  '{"z":1.0,"a":1e400,"big":9223372036854775808,"z":2,"__proto__":{"x":"\\ud800\\u0041"} , "t":"é"}';
export const EXAMPLE: { jobs: { name: string; year: number; polygon: unknown }[] } = JSON.parse(
  readFileSync('examples/meuse-batch.json', 'utf8'),
);

export type BatchBody = z.infer<typeof spec.batch>;
type JobDetail = z.infer<typeof spec.jobDetail>;
type JobBody = BatchBody['jobs'][number];

/** What a client of the example batch received, from the creation to the webhook. */
export interface Finished {
  readonly polls: readonly BatchBody[];
  /** The whole area's job at each poll, on V2. */
  readonly details: readonly JobDetail[];
  readonly last: HttpResponse;
  readonly jobs: readonly JobBody[];
  readonly delivery: Delivery;
  readonly creation: HttpResponse;
  readonly batchId: string;
  /** When the last status was requested and read. */
  readonly requestedAt: number;
  readonly readAt: number;
}

/** Posts the example batch and polls it to its end. */
export async function runExample(call: HttpClient, deployment: 'v1' | 'v2'): Promise<Finished> {
  await using receiver = await webhookReceiver();
  const body = `{"jobs":${JSON.stringify(EXAMPLE.jobs)},"metadata":${METADATA},"webhook_url":${JSON.stringify(receiver.url)},"webhook_secret":${JSON.stringify(SECRET)}}`;
  const creation = await call('/v1/batch/', { body });
  const { batch_id: batchId, job_ids } = spec.created.parse(creation.json);
  const wholeArea = `/v1/batch/${batchId}/jobs/${job_ids[0]}/status`;
  const polls: BatchBody[] = [];
  const details: JobDetail[] = [];
  for (;;) {
    if (deployment === 'v2') details.push(spec.jobDetail.parse((await call(wholeArea)).json));
    const requestedAt = Date.now();
    const last = await call(`/v1/batch/${batchId}/status`);
    const readAt = Date.now();
    expect(last.status).toBe(200);
    const batch = spec.batch.parse(last.json);
    polls.push(batch);
    if (!['pending', 'processing'].includes(batch.status)) {
      const delivery = await receiver.first(batchId);
      const found = { polls, details, last, jobs: batch.jobs, delivery, creation };
      return { ...found, batchId, requestedAt, readAt };
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export const jobAt = (finished: Finished, index: number): JobBody => {
  const job = finished.jobs[index];
  if (job === undefined) throw new Error(`the batch has no job ${index}`);
  return job;
};

export const urlOf = (job: JobBody): string => {
  if (typeof job.signed_cog_url !== 'string') throw new Error(`${job.job_id} has no URL`);
  return job.signed_cog_url;
};
