import { stepFunctionsStarter } from '../../adapters/batch-runner.ts';
import { kmsClient, secretsManagerClient, stepFunctionsClient } from '../../adapters/clients.ts';
import { cursorKey } from '../../adapters/cursor-key.ts';
import { dispatchPorts } from '../../adapters/dispatch-ports.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoIdempotencyKeys, dynamoQuotas } from '../../adapters/dynamodb/charges.ts';
import { dynamoTenantRecords } from '../../adapters/dynamodb/tenants.ts';
import { env } from '../../adapters/environment.ts';
import { memoized } from '../../adapters/memoized.ts';
import { deployedPacks } from '../../adapters/packs/deployed-packs.ts';
import { s3JobRequests } from '../../adapters/s3/job-requests.ts';
import { roleObjects } from '../../adapters/s3/objects.ts';
import { kmsWebhookSecrets } from '../../adapters/webhook/webhook-secret.ts';
import type { CreateBatchPorts } from '../../domain/batch/create-batch.ts';
import { dispatchBatch } from '../../domain/dispatch/dispatch.ts';
import { logFailure } from '../../observability/log.ts';
import { BATCH_OPERATIONS } from '../definitions/batches.ts';
import { handleKeyed } from '../handling/handle-keyed.ts';
import { createBatchOperation } from '../operations/batch/create-batch.ts';

export const handler = handleKeyed('create-batch', BATCH_OPERATIONS, (table, weigh) => {
  const dispatching = dispatchPorts(
    table,
    env,
    stepFunctionsStarter(env.STATE_MACHINE_ARN, stepFunctionsClient()),
    logFailure('start-batch'),
  );
  const secrets = secretsManagerClient();
  const ports: CreateBatchPorts = {
    batches: dynamoBatchStore(table),
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    idempotencyKeys: dynamoIdempotencyKeys(table),
    jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
    dispatch: (batch) => dispatchBatch(dispatching, batch),
    webhookSecrets: kmsWebhookSecrets(kmsClient(), env.WEBHOOK_KEY_ARN),
    catalogue: memoized(() => deployedPacks(env)),
    clock: table.clock,
    retentionDays: env.RETENTION_DAYS,
    onDispatchFailure: logFailure('dispatch-batch'),
  };
  const policy = {
    schemes: env.WEBHOOK_SCHEMES,
    privateReceivers: env.WEBHOOK_PRIVATE_RECEIVERS,
    ports: env.WEBHOOK_PORTS,
  };
  return {
    'create-batch': createBatchOperation(
      ports,
      policy,
      cursorKey(secrets, env.CURSOR_SECRET_ARN),
      weigh,
    ),
  };
});
