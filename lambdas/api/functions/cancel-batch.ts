import { stepFunctionsBatchRunner } from '../../adapters/batch-runner.ts';
import { sqsClient, stepFunctionsClient } from '../../adapters/clients.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../../adapters/dynamodb/jobs.ts';
import { env } from '../../adapters/environment.ts';
import { s3JobRequests } from '../../adapters/s3/job-requests.ts';
import { roleObjects } from '../../adapters/s3/objects.ts';
import {
  s3BatchPredictionErrors,
  s3JobPredictionErrors,
} from '../../adapters/s3/prediction-errors.ts';
import { s3RasterCleanup } from '../../adapters/s3/raster-cleanup.ts';
import { sqsDeliveryTimer } from '../../adapters/webhook/delivery-queues.ts';
import { finishBatch } from '../../domain/batch/finish-batch.ts';
import { logFailure } from '../../observability/log.ts';
import { measureFinish } from '../../observability/measure-finish.ts';
import { BATCH_OPERATIONS } from '../definitions/batches.ts';
import { handleKeyed } from '../handling/handle-keyed.ts';
import { cancelBatchOperation } from '../operations/batch/cancel-batch.ts';

export const handler = handleKeyed('cancel-batch', BATCH_OPERATIONS, (table) => {
  const batches = dynamoBatchStore(table);
  const jobs = dynamoJobStore(table);
  const finishing = {
    batches,
    jobs,
    jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
    rasters: s3RasterCleanup(env.RESULTS_BUCKET),
    jobPredictionErrors: s3JobPredictionErrors(env.WORK_BUCKET),
    batchPredictionErrors: s3BatchPredictionErrors(env.RESULTS_BUCKET),
    timer: sqsDeliveryTimer(sqsClient(), env.WEBHOOK_QUEUE_URL),
    clock: table.clock,
    publishesEvents: env.EVENT_BUS_ARN !== null,
    onAttemptNotQueued: logFailure('delivery-left'),
  };
  const pricing = { memory: env.MEMORY_MB, region: env.AWS_REGION };
  return {
    'cancel-batch': cancelBatchOperation({
      batches,
      jobs,
      runner: stepFunctionsBatchRunner(env.STATE_MACHINE_ARN, stepFunctionsClient()),
      finish: async (batchId) => measureFinish(await finishBatch(finishing, batchId), pricing),
      clock: table.clock,
      onLeft: logFailure('cancel-left'),
    }),
  };
});
