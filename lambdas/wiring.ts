import { stepFunctionsStarter } from './adapters/batch-runner.ts';
import {
  dynamoDbClient,
  eventBridgeClient,
  kmsClient,
  secretsManagerClient,
  sqsClient,
  stepFunctionsClient,
} from './adapters/clients.ts';
import { cursorKeyReader } from './adapters/cursor-key.ts';
import { dynamoStores } from './adapters/dynamodb/stores.ts';
import { openTable } from './adapters/dynamodb/table.ts';
import { env } from './adapters/environment.ts';
import { eventBridgeBus } from './adapters/event-bus.ts';
import { memoize } from './adapters/memoized.ts';
import { deployedPacks } from './adapters/packs/deployed-packs.ts';
import { s3JobRequests } from './adapters/s3/job-requests.ts';
import { roleObjects } from './adapters/s3/objects.ts';
import { s3BatchPredictionErrors, s3JobPredictionErrors } from './adapters/s3/prediction-errors.ts';
import { s3RasterCleanup } from './adapters/s3/raster-cleanup.ts';
import { resultSigner } from './adapters/signing-key/result-signer.ts';
import { sqsDeliveryQueue } from './adapters/webhook/delivery-queues.ts';
import { httpReceiver } from './adapters/webhook/http-receiver.ts';
import { kmsWebhookSecrets } from './adapters/webhook/webhook-secret.ts';
import type { BatchRunner } from './domain/batch/batch.ts';
import type { FinishBatchPorts } from './domain/batch/finish-batch.ts';
import type { PublishEventPorts } from './domain/delivery/publish-event.ts';
import type { ReceiverPolicy } from './domain/delivery/receiver-policy.ts';
import type { DispatchPorts } from './domain/dispatch/dispatch.ts';
import { logFailure } from './observability/log.ts';

// Ports that several functions share. Each is created on first use, from the function's variables. A port that only one
// function uses is created in that function.

const secretsManager = once(secretsManagerClient);

export const stores = once(() => {
  const table = openTable(env.TABLE_NAME, dynamoDbClient());
  return { ...dynamoStores(table), clock: table.clock };
});

export const jobRequests = once(() => s3JobRequests(roleObjects(env.WORK_BUCKET)));

export const jobPredictionErrors = once(() => s3JobPredictionErrors(env.WORK_BUCKET));

export const batchPredictionErrors = once(() => s3BatchPredictionErrors(env.RESULTS_BUCKET));

export const serviceTrust = once(() => ({
  principal: env.SERVICE_PRINCIPAL,
  externalIdScope: env.EXTERNAL_ID_SCOPE,
  accounts: env.DESTINATION_ACCOUNTS,
}));

export const catalogue = once(() => memoize(() => deployedPacks(env)));

export const cursorKey = once(() => cursorKeyReader(secretsManager(), env.CURSOR_SECRET_ARN));

export const signer = once(() =>
  resultSigner({
    secrets: secretsManager(),
    secretArn: env.SIGNING_SECRET_ARN,
    bucket: env.RESULTS_BUCKET,
  }),
);

export const deliveryQueue = once(() => sqsDeliveryQueue(sqsClient(), env.WEBHOOK_QUEUE_URL));

export const webhookSecrets = once(() => kmsWebhookSecrets(kmsClient(), env.WEBHOOK_KEY_ARN));

export const receiverPolicy = once(
  (): ReceiverPolicy => ({
    schemes: env.WEBHOOK_SCHEMES,
    ports: env.WEBHOOK_PORTS,
    privateReceivers: env.WEBHOOK_PRIVATE_RECEIVERS,
  }),
);

export const receiver = once(() =>
  httpReceiver({
    policy: receiverPolicy(),
    userAgent: `soil-batch-webhook/${env.SERVICE_VERSION}`,
  }),
);

export const starter = once(() =>
  stepFunctionsStarter(env.STATE_MACHINE_ARN, stepFunctionsClient()),
);

/** For every function that may start a batch. */
export function dispatchPorts(runner: Pick<BatchRunner, 'start'>): DispatchPorts {
  return {
    ...stores(),
    runner,
    runningLimits: {
      inAll: env.RUNNING_BATCHES,
      reserved: env.RUNNING_BATCHES_RESERVED,
      perTenant: env.RUNNING_BATCHES_PER_TENANT,
    },
    onStartFailure: logFailure('start-batch'),
  };
}

/** For every function that may finish a batch. */
export const finishPorts = once(
  (): FinishBatchPorts => ({
    ...stores(),
    jobRequests: jobRequests(),
    rasters: s3RasterCleanup(env.RESULTS_BUCKET),
    jobPredictionErrors: jobPredictionErrors(),
    batchPredictionErrors: batchPredictionErrors(),
    deliveryQueue: deliveryQueue(),
    publishesEvents: env.EVENT_BUS_ARN !== null,
    onAttemptNotQueued: logFailure('delivery-left'),
  }),
);

/** Null without a bus. */
export const publishPorts = once((): PublishEventPorts | null => {
  const busArn = env.EVENT_BUS_ARN;
  if (busArn === null) return null;
  return { ...stores(), bus: eventBridgeBus(eventBridgeClient(), busArn) };
});

export const pricing = once(() => ({ memory: env.MEMORY_MB, region: env.AWS_REGION }));

/** @__NO_SIDE_EFFECTS__ */
function once<Port>(make: () => Port): () => Port {
  let made: { readonly port: Port } | undefined;
  return () => {
    made ??= { port: make() };
    return made.port;
  };
}
