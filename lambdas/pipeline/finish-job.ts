import { S3Client } from '@aws-sdk/client-s3';
import { CLIENT_OPTIONS } from '../adapters/client-options.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { dynamoPatchBatchStore } from '../adapters/dynamodb/patch-batches.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { environment } from '../adapters/environment.ts';
import { s3FinishedRasters } from '../adapters/s3/rasters.ts';
import { type FinishJobPorts, finishJob } from '../domain/job/finish-job.ts';
import { measureJob } from '../measure-finish.ts';
import { seeingTenants } from '../tenant-seen.ts';
import { jobInput, step, stepError } from './step.ts';

const env = environment('TABLE_NAME', 'RESULTS_BUCKET');
const table = openTable(env.TABLE_NAME);

const { batches, tenantSeen } = seeingTenants(dynamoBatchStore(table));
const ports: FinishJobPorts = {
  batches,
  jobs: dynamoJobStore(table),
  patchBatches: dynamoPatchBatchStore(table),
  rasters: s3FinishedRasters(new S3Client({ ...CLIENT_OPTIONS }), env.RESULTS_BUCKET),
  clock: table.clock,
};

export const handler = step(
  'finish-job',
  jobInput.extend({ error: stepError.optional() }),
  ({ batch_id, job_index, error }) => finishJob(ports, batch_id, job_index, error ?? null),
  () => ({}),
  { tenantSeen, measured: measureJob },
);
