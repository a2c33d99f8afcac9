import { SQSClient } from '@aws-sdk/client-sqs';
import { CLIENT_OPTIONS } from '../../adapters/client-options.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../../adapters/dynamodb/jobs.ts';
import { environment } from '../../adapters/environment.ts';
import { s3JobRequests } from '../../adapters/s3/job-requests.ts';
import { s3RasterWithdrawals } from '../../adapters/s3/raster-withdrawals.ts';
import { roleObjects } from '../../adapters/s3/role-objects.ts';
import { sqsDeliveryTimer } from '../../adapters/sqs/delivery-timer.ts';
import { stepFunctionsBatchRunner } from '../../adapters/step-functions/batch-runner.ts';
import { finishBatch } from '../../domain/batch/finish-batch.ts';
import { logFailure } from '../../log.ts';
import { measureFinish } from '../../measure-finish.ts';
import { handleKeyed } from '../http/handle-keyed.ts';
import { cancelBatchOperation } from '../operations/batch/cancel-batch.ts';

export const handler = handleKeyed('cancel-batch', (table) => {
  const env = environment(
    'WORK_BUCKET',
    'RESULTS_BUCKET',
    'STATE_MACHINE_ARN',
    'WEBHOOK_QUEUE_URL',
    'MEMORY_MB',
    'AWS_REGION',
  );
  const batches = dynamoBatchStore(table);
  const jobs = dynamoJobStore(table);
  const finishing = {
    batches,
    jobs,
    jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
    rasters: s3RasterWithdrawals(env.RESULTS_BUCKET),
    timer: sqsDeliveryTimer(new SQSClient({ ...CLIENT_OPTIONS }), env.WEBHOOK_QUEUE_URL),
    clock: table.clock,
    onDeliveryLeft: logFailure('delivery-left'),
  };
  const pricing = { memory: env.MEMORY_MB, region: env.AWS_REGION };
  return {
    'cancel-batch': cancelBatchOperation({
      batches,
      jobs,
      runner: stepFunctionsBatchRunner(env.STATE_MACHINE_ARN),
      finish: async (batchId) => measureFinish(await finishBatch(finishing, batchId), pricing),
      clock: table.clock,
      onLeft: logFailure('cancel-left'),
    }),
  };
});
