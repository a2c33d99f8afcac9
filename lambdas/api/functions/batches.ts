import { stepFunctionsBatchRunner } from '../../adapters/batch-runner.ts';
import { s3Client, stepFunctionsClient } from '../../adapters/clients.ts';
import { env } from '../../adapters/environment.ts';
import { s3ResultFiles } from '../../adapters/s3/rasters.ts';
import { logFailure } from '../../observability/log.ts';
import {
  batchPredictionErrors,
  catalogue,
  cursorKey,
  deliveryQueue,
  jobRequests,
  serviceTrust,
  signer,
  stores,
} from '../../wiring.ts';
import { BATCH_OPERATIONS } from '../operation-lists/batch-operations.ts';
import { serveKeyed } from '../serve-keyed.ts';

/** The API's only function with access to the signing key. */
export const handler = serveKeyed(BATCH_OPERATIONS, (weigh) => ({
  ...stores(),
  batchPredictionErrors: batchPredictionErrors(),
  catalogue: catalogue(),
  cursorKey: cursorKey(),
  deliveryQueue: deliveryQueue(),
  jobRequests: jobRequests(),
  jobsAtOnce: env.JOBS_AT_ONCE,
  onAttemptNotQueued: logFailure('redelivery'),
  onLeft: logFailure('cancel-left'),
  retentionDays: env.RETENTION_DAYS,
  resultFiles: s3ResultFiles(s3Client(), env.RESULTS_BUCKET),
  runningBatches: env.RUNNING_BATCHES_PER_TENANT,
  runner: stepFunctionsBatchRunner(env.STATE_MACHINE_ARN, stepFunctionsClient()),
  signer: signer(),
  trust: serviceTrust(),
  version: env.SERVICE_VERSION,
  weigh,
}));
