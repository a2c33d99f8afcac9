import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { type ExampleRun, runExample } from '../../../bin/smoke/example.ts';
import type { HttpClient } from '../api/http-client.ts';
import * as spec from '../api/spec-schemas.ts';
import { type Delivery, webhookReceiver } from '../delivery/webhook-receiver.ts';

export const SECRET = 'a shared secret – ünïcode';
export const EXAMPLE: { jobs: { name: string; year: number; polygon: unknown }[] } = JSON.parse(
  readFileSync('examples/meuse-batch.json', 'utf8'),
);

export type BatchBody = z.infer<typeof spec.batch>;
type JobDetail = z.infer<typeof spec.jobDetail>;
type JobBody = BatchBody['jobs'][number];

export interface Finished extends Omit<ExampleRun, 'polls'> {
  readonly polls: readonly BatchBody[];
  /** The job of the whole flood plain at each poll, on V2. */
  readonly details: readonly JobDetail[];
  readonly last: ExampleRun['polls'][number];
  readonly jobs: readonly JobBody[];
  readonly delivery: Delivery;
}

/** Runs the smoke test's example batch with a webhook, and also polls a job of V2. */
export async function finishExample(call: HttpClient, deployment: 'v1' | 'v2'): Promise<Finished> {
  await using receiver = await webhookReceiver();
  const details: JobDetail[] = [];
  const request = { jobs: EXAMPLE.jobs, webhook_url: receiver.url, webhook_secret: SECRET };
  const run = await runExample(call, request, {
    pauseMs: 100,
    onPoll: async (batchId, [wholeArea]) => {
      if (deployment === 'v1') return;
      const { json } = await call(`/v1/batch/${batchId}/jobs/${wholeArea}/status`);
      details.push(spec.jobDetail.parse(json));
    },
  });
  const polls = run.polls.map(({ json }) => spec.batch.parse(json));
  const [last, final] = [run.polls.at(-1), polls.at(-1)];
  if (last === undefined || final === undefined) throw new Error('no status');
  const delivery = await receiver.first(run.batchId);
  return { ...run, polls, details, last, jobs: final.jobs, delivery };
}

export const findJob = (finished: Finished, index: number): JobBody => {
  const job = finished.jobs[index];
  if (job === undefined) throw new Error(`the batch has no job ${index}`);
  return job;
};

export const urlOf = (job: JobBody): string => {
  if (typeof job.signed_cog_url !== 'string') throw new Error(`${job.job_id} has no URL`);
  return job.signed_cog_url;
};
