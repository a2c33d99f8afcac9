import { stepFunctionsStarter } from '../../adapters/batch-runner.ts';
import { kmsClient, secretsManagerClient, stepFunctionsClient } from '../../adapters/clients.ts';
import { cursorKey } from '../../adapters/cursor-key.ts';
import { dispatchPorts } from '../../adapters/dispatch-ports.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoIdempotencyKeys, dynamoQuotas } from '../../adapters/dynamodb/charges.ts';
import { dynamoJobStore } from '../../adapters/dynamodb/jobs.ts';
import { dynamoRecentTimes } from '../../adapters/dynamodb/recent-times.ts';
import { dynamoTenantRecords } from '../../adapters/dynamodb/tenants.ts';
import { env } from '../../adapters/environment.ts';
import { memoized } from '../../adapters/memoized.ts';
import { deployedPacks } from '../../adapters/packs/deployed-packs.ts';
import { processCpu } from '../../adapters/processor.ts';
import { s3JobRequests } from '../../adapters/s3/job-requests.ts';
import { roleObjects } from '../../adapters/s3/objects.ts';
import { kmsWebhookSecrets } from '../../adapters/webhook/webhook-secret.ts';
import { dispatchBatch } from '../../domain/dispatch/dispatch.ts';
import { logFailure } from '../../observability/log.ts';
import { builtWith } from '../definition.ts';
import { serveKeyed } from '../serve-keyed.ts';
import { CREATE_BATCH } from '../served-by/create-batch.ts';

/** Parses every body of polygons and creates batches: it has the memory for it, and no signing key. */
export const handler = serveKeyed('create-batch', (table, weigh) => {
  const dispatching = dispatchPorts(
    table,
    env,
    stepFunctionsStarter(env.STATE_MACHINE_ARN, stepFunctionsClient()),
    logFailure('start-batch'),
  );
  return builtWith(CREATE_BATCH, {
    weigh,
    batches: dynamoBatchStore(table),
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    idempotencyKeys: dynamoIdempotencyKeys(table),
    jobs: dynamoJobStore(table),
    jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
    recentTimes: dynamoRecentTimes(table),
    dispatch: (batch: Parameters<typeof dispatchBatch>[1]) => dispatchBatch(dispatching, batch),
    webhookSecrets: kmsWebhookSecrets(kmsClient(), env.WEBHOOK_KEY_ARN),
    catalogue: memoized(() => deployedPacks(env)),
    clock: table.clock,
    retentionDays: env.RETENTION_DAYS,
    onDispatchFailure: logFailure('dispatch-batch'),
    cpuClock: processCpu,
    concurrency: { jobs: env.JOBS_AT_ONCE, patchBatches: env.PATCH_BATCHES_AT_ONCE },
    memory: env.MEMORY_MB,
    region: env.AWS_REGION,
    receiverPolicy: {
      schemes: env.WEBHOOK_SCHEMES,
      privateReceivers: env.WEBHOOK_PRIVATE_RECEIVERS,
      ports: env.WEBHOOK_PORTS,
    },
    cursorKey: cursorKey(secretsManagerClient(), env.CURSOR_SECRET_ARN),
  });
});
