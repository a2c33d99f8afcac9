import * as z from 'zod/mini';
import { s3Client } from '../adapters/clients.ts';
import { env } from '../adapters/environment.ts';
import { s3FinishedRasters } from '../adapters/s3/rasters.ts';
import { type FinishJobPorts, finishJob } from '../domain/job/finishing/finish-job.ts';
import { observeBatches } from '../observability/log.ts';
import { measureJob } from '../observability/measure-finish.ts';
import { stores } from '../wiring.ts';
import { jobInput, step, stepError } from './step.ts';

const { batches, knownBatch } = observeBatches(stores().batches);
const ports: FinishJobPorts = {
  ...stores(),
  batches,
  rasters: s3FinishedRasters(s3Client(), env.RESULTS_BUCKET),
};

export const handler = step(
  'finish-job',
  z.extend(jobInput, { error: z.optional(stepError) }),
  ({ batch_id, job_index, error }) => finishJob(ports, batch_id, job_index, error ?? null),
  { knownBatch, measured: measureJob },
);
