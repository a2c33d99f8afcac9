import { stepFunctionsStarter } from '../adapters/batch-runner.ts';
import { dynamoDbClient, s3Client, sqsClient, stepFunctionsClient } from '../adapters/clients.ts';
import { dispatchPorts } from '../adapters/dispatch-ports.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { dynamoRecentTimes } from '../adapters/dynamodb/recent-times.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { env } from '../adapters/environment.ts';
import { publishEventPorts } from '../adapters/event-bus.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import {
  s3BatchPredictionErrors,
  s3JobPredictionErrors,
} from '../adapters/s3/prediction-errors.ts';
import { s3RasterCleanup } from '../adapters/s3/raster-cleanup.ts';
import { sdkObjects } from '../adapters/s3/sdk-objects.ts';
import { sqsDeliveryTimer } from '../adapters/webhook/delivery-queues.ts';
import { type FinishBatchPorts, finishBatch } from '../domain/batch/finish-batch.ts';
import { publishEvent } from '../domain/delivery/publish-event.ts';
import { dispatchNext } from '../domain/dispatch/dispatch.ts';
import { logFailure, observeBatches } from '../observability/log.ts';
import { measureFinish } from '../observability/measure-finish.ts';
import { batchInput, step } from './step.ts';

const table = openTable(env.TABLE_NAME, dynamoDbClient());

const { batches, knownBatch } = observeBatches(dynamoBatchStore(table));
const busArn = env.EVENT_BUS_ARN;
const jobs = dynamoJobStore(table);
const ports: FinishBatchPorts = {
  batches,
  jobs,
  jobRequests: s3JobRequests(sdkObjects(s3Client(), env.WORK_BUCKET)),
  rasters: s3RasterCleanup(env.RESULTS_BUCKET),
  jobPredictionErrors: s3JobPredictionErrors(env.WORK_BUCKET),
  batchPredictionErrors: s3BatchPredictionErrors(env.RESULTS_BUCKET),
  timer: sqsDeliveryTimer(sqsClient(), env.WEBHOOK_QUEUE_URL),
  clock: table.clock,
  publishesEvents: busArn !== null,
  onAttemptNotQueued: logFailure('delivery-left'),
};

const publishing = publishEventPorts(table, ports, busArn);
const recentTimes = dynamoRecentTimes(table);
const pricing = { memory: env.MEMORY_MB, region: env.AWS_REGION };
const dispatching = dispatchPorts(
  table,
  env,
  stepFunctionsStarter(env.STATE_MACHINE_ARN, stepFunctionsClient()),
  logFailure('start-batch'),
);

export const handler = step(
  'finish-batch',
  batchInput,
  async ({ batch_id }) => {
    const outcome = await finishBatch(ports, batch_id);
    const finish = measureFinish(outcome, pricing);
    if (outcome.kind === 'finished' && outcome.times !== null) {
      await recentTimes
        .add(outcome.times)
        .catch((error: unknown) => logFailure('times-lost')(batch_id, error));
    }
    await dispatchNext(dispatching, batch_id, logFailure('dispatch-left'));
    if (publishing !== null) {
      // Best effort: the reconciler publishes what is left.
      await publishEvent(publishing, batch_id).catch((error: unknown) =>
        logFailure('event-left')(batch_id, error),
      );
    }
    return finish;
  },
  () => ({}),
  { knownBatch },
);
