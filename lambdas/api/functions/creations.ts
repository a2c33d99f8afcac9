import { stepFunctionsBatchRunner } from '../../adapters/batch-runner.ts';
import { lambdaClient, stepFunctionsClient } from '../../adapters/clients.ts';
import { invokedCheck } from '../../adapters/destination/invoked-check.ts';
import { env } from '../../adapters/environment.ts';
import { processCpu } from '../../adapters/processor.ts';
import { dispatchBatch } from '../../domain/dispatch/dispatch.ts';
import { logFailure } from '../../observability/log.ts';
import {
  catalogue,
  cursorKey,
  dispatchPorts,
  jobRequests,
  pricing,
  receiverPolicy,
  serviceTrust,
  starter,
  stores,
  webhookSecrets,
} from '../../wiring.ts';
import { CREATION_OPERATIONS } from '../operation-lists/creation-operations.ts';
import { serveKeyed } from '../serve-keyed.ts';

/** Has the memory to parse bodies with polygons, but no access to the signing key. */
export const handler = serveKeyed(CREATION_OPERATIONS, (weigh) => ({
  ...stores(),
  ...pricing(),
  catalogue: catalogue(),
  concurrency: { jobs: env.JOBS_AT_ONCE, patchBatches: env.PATCH_BATCHES_AT_ONCE },
  cpuClock: processCpu,
  cursorKey: cursorKey(),
  destinationCheck: invokedCheck(lambdaClient(), env.COPY_FUNCTION_NAME),
  dispatch: (batch) => dispatchBatch(dispatchPorts(starter()), batch),
  jobRequests: jobRequests(),
  onDispatchFailure: logFailure('dispatch-batch'),
  receiverPolicy: receiverPolicy(),
  retentionDays: env.RETENTION_DAYS,
  runner: stepFunctionsBatchRunner(env.STATE_MACHINE_ARN, stepFunctionsClient()),
  trust: serviceTrust(),
  webhookSecrets: webhookSecrets(),
  weigh,
}));
