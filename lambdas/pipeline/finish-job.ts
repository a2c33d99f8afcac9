import * as z from 'zod/mini';
import { dynamoDbClient, s3Client } from '../adapters/clients.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { dynamoPatchBatchStore } from '../adapters/dynamodb/patch-batches.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { env } from '../adapters/environment.ts';
import { s3FinishedRasters } from '../adapters/s3/rasters.ts';
import { type FinishJobPorts, finishJob } from '../domain/job/finishing/finish-job.ts';
import { observeBatches } from '../observability/log.ts';
import { measureJob } from '../observability/measure-finish.ts';
import { jobInput, step, stepError } from './step.ts';

const table = openTable(env.TABLE_NAME, dynamoDbClient());

const { batches, knownBatch } = observeBatches(dynamoBatchStore(table));
const ports: FinishJobPorts = {
  batches,
  jobs: dynamoJobStore(table),
  patchBatches: dynamoPatchBatchStore(table),
  rasters: s3FinishedRasters(s3Client(), env.RESULTS_BUCKET),
  clock: table.clock,
};

export const handler = step(
  'finish-job',
  z.extend(jobInput, { error: z.optional(stepError) }),
  ({ batch_id, job_index, error }) => finishJob(ports, batch_id, job_index, error ?? null),
  () => ({}),
  { knownBatch, measured: measureJob },
);
