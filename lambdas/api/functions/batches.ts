import { stepFunctionsBatchRunner } from '../../adapters/batch-runner.ts';
import {
  s3Client,
  secretsManagerClient,
  sqsClient,
  stepFunctionsClient,
} from '../../adapters/clients.ts';
import { cursorKey } from '../../adapters/cursor-key.ts';
import { dynamoBatchIndex } from '../../adapters/dynamodb/batch-index.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoQuotas } from '../../adapters/dynamodb/charges.ts';
import { dynamoDeliveryLog } from '../../adapters/dynamodb/delivery-log.ts';
import { dynamoJobStore } from '../../adapters/dynamodb/jobs.ts';
import { dynamoOutboxStore, dynamoRedeliveries } from '../../adapters/dynamodb/outbox.ts';
import { dynamoPatchBatchStore } from '../../adapters/dynamodb/patch-batches.ts';
import { dynamoRecentTimes } from '../../adapters/dynamodb/recent-times.ts';
import type { Table } from '../../adapters/dynamodb/table.ts';
import { dynamoTenantRecords } from '../../adapters/dynamodb/tenants.ts';
import { env } from '../../adapters/environment.ts';
import { memoized } from '../../adapters/memoized.ts';
import { deployedPacks } from '../../adapters/packs/deployed-packs.ts';
import { s3JobRequests } from '../../adapters/s3/job-requests.ts';
import { roleObjects } from '../../adapters/s3/objects.ts';
import {
  s3BatchPredictionErrors,
  s3JobPredictionErrors,
} from '../../adapters/s3/prediction-errors.ts';
import { s3RasterCleanup } from '../../adapters/s3/raster-cleanup.ts';
import { s3ResultFiles } from '../../adapters/s3/rasters.ts';
import { resultSigner } from '../../adapters/signing-key/result-signer.ts';
import { sqsDeliveryTimer } from '../../adapters/webhook/delivery-queues.ts';
import { finishBatch } from '../../domain/batch/finish-batch.ts';
import type { BatchId } from '../../domain/identity.ts';
import { logFailure } from '../../observability/log.ts';
import { measureFinish } from '../../observability/measure-finish.ts';
import { builtWith } from '../definition.ts';
import type { Weigh } from '../http/metered.ts';
import { serveKeyed } from '../serve-keyed.ts';
import { BATCHES } from '../served-by/batches.ts';

/** Reads batches, jobs and results, cancels and redelivers. Behind the API only this function has the signing key. */
export const handler = serveKeyed('batches', (table, weigh) => {
  const ports = portsOf(table, weigh);
  const { batches, jobs, clock, timer } = ports;
  const finishing = {
    ...{ batches, jobs, clock, timer },
    jobRequests: ports.jobRequests,
    rasters: s3RasterCleanup(env.RESULTS_BUCKET),
    jobPredictionErrors: s3JobPredictionErrors(env.WORK_BUCKET),
    batchPredictionErrors: ports.batchPredictionErrors,
    publishesEvents: env.EVENT_BUS_ARN !== null,
    onAttemptNotQueued: logFailure('delivery-left'),
  };
  const pricing = { memory: env.MEMORY_MB, region: env.AWS_REGION };
  return builtWith(BATCHES, {
    ...ports,
    runner: stepFunctionsBatchRunner(env.STATE_MACHINE_ARN, stepFunctionsClient()),
    finish: async (batchId: BatchId) =>
      measureFinish(await finishBatch(finishing, batchId), pricing),
    onLeft: logFailure('cancel-left'),
    onAttemptNotQueued: logFailure('redelivery'),
  });
});

function portsOf(table: Table, weigh: Weigh) {
  const secrets = secretsManagerClient();
  return {
    weigh,
    clock: table.clock,
    batches: dynamoBatchStore(table),
    batchIndex: dynamoBatchIndex(table),
    jobs: dynamoJobStore(table),
    jobsAtOnce: env.JOBS_AT_ONCE,
    jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
    patchBatches: dynamoPatchBatchStore(table),
    recentTimes: dynamoRecentTimes(table),
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    outbox: { ...dynamoOutboxStore(table), ...dynamoRedeliveries(table) },
    log: dynamoDeliveryLog(table),
    timer: sqsDeliveryTimer(sqsClient(), env.WEBHOOK_QUEUE_URL),
    batchPredictionErrors: s3BatchPredictionErrors(env.RESULTS_BUCKET),
    resultFiles: s3ResultFiles(s3Client(), env.RESULTS_BUCKET),
    signer: resultSigner({
      secrets,
      secretArn: env.SIGNING_SECRET_ARN,
      bucket: env.RESULTS_BUCKET,
    }),
    cursorKey: cursorKey(secrets, env.CURSOR_SECRET_ARN),
    catalogue: memoized(() => deployedPacks(env)),
    configured: {
      retentionDays: env.RETENTION_DAYS,
      runningBatches: env.RUNNING_BATCHES_PER_TENANT,
    },
    retentionDays: env.RETENTION_DAYS,
    version: env.SERVICE_VERSION,
  };
}
