import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { CLIENT_OPTIONS } from '../adapters/client-options.ts';
import { dispatchPorts } from '../adapters/dispatch-ports.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { environment } from '../adapters/environment.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import { s3RasterWithdrawals } from '../adapters/s3/raster-withdrawals.ts';
import { sdkObjects } from '../adapters/s3/sdk-objects.ts';
import { sqsDeliveryTimer } from '../adapters/sqs/delivery-timer.ts';
import { type FinishBatchPorts, finishBatch } from '../domain/batch/finish-batch.ts';
import { dispatchNext } from '../domain/dispatch/dispatch.ts';
import { logFailure } from '../log.ts';
import { measureFinish } from '../measure-finish.ts';
import { seeingTenants } from '../tenant-seen.ts';
import { batchInput, step } from './step.ts';

const env = environment(
  'TABLE_NAME',
  'WORK_BUCKET',
  'RESULTS_BUCKET',
  'WEBHOOK_QUEUE_URL',
  'STATE_MACHINE_ARN',
  'RUNNING_BATCHES',
  'RUNNING_BATCHES_PER_TENANT',
  'MEMORY_MB',
  'AWS_REGION',
);
const table = openTable(env.TABLE_NAME);

const { batches, tenantSeen } = seeingTenants(dynamoBatchStore(table));
const ports: FinishBatchPorts = {
  batches,
  jobs: dynamoJobStore(table),
  jobRequests: s3JobRequests(sdkObjects(new S3Client({ ...CLIENT_OPTIONS }), env.WORK_BUCKET)),
  rasters: s3RasterWithdrawals(env.RESULTS_BUCKET),
  timer: sqsDeliveryTimer(new SQSClient({ ...CLIENT_OPTIONS }), env.WEBHOOK_QUEUE_URL),
  clock: table.clock,
  onDeliveryLeft: logFailure('delivery-left'),
};

const pricing = { memory: env.MEMORY_MB, region: env.AWS_REGION };
const dispatching = dispatchPorts(table, env, logFailure('start-batch'));

export const handler = step(
  'finish-batch',
  batchInput,
  async ({ batch_id }) => {
    const finish = measureFinish(await finishBatch(ports, batch_id), pricing);
    await dispatchNext(dispatching, batch_id, logFailure('dispatch-left'));
    return finish;
  },
  () => ({}),
  { tenantSeen },
);
