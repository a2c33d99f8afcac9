import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CLIENT_OPTIONS } from '../../adapters/client-options.ts';
import { dispatchPorts } from '../../adapters/dispatch-ports.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoIdempotencyKeys } from '../../adapters/dynamodb/idempotency-keys.ts';
import { dynamoQuotas } from '../../adapters/dynamodb/quotas.ts';
import { dynamoTenantRecords } from '../../adapters/dynamodb/tenants.ts';
import { environment } from '../../adapters/environment.ts';
import { kmsWebhookSecrets } from '../../adapters/kms/webhook-secret.ts';
import { deployedPacks } from '../../adapters/packs/deployed-packs.ts';
import { remembered } from '../../adapters/remembered.ts';
import { s3JobRequests } from '../../adapters/s3/job-requests.ts';
import { roleObjects } from '../../adapters/s3/role-objects.ts';
import { cursorKey } from '../../adapters/secrets/cursor-key.ts';
import type { CreateBatchPorts } from '../../domain/batch/create-batch.ts';
import { dispatchBatch } from '../../domain/dispatch/dispatch.ts';
import { logFailure } from '../../log.ts';
import { handleKeyed } from '../http/handle-keyed.ts';
import { createBatchOperation } from '../operations/batch/create-batch.ts';

export const handler = handleKeyed('create-batch', (table, weigh) => {
  const env = environment(
    'WORK_BUCKET',
    'STATE_MACHINE_ARN',
    'WEBHOOK_KEY_ARN',
    'RUNNING_BATCHES',
    'RUNNING_BATCHES_PER_TENANT',
    'RETENTION_DAYS',
    'CURSOR_SECRET_ARN',
    'LAMBDA_TASK_ROOT',
    'MODEL_PACKS',
    'WEBHOOK_SCHEMES',
    'WEBHOOK_PRIVATE_RECEIVERS',
    'WEBHOOK_PORTS',
  );
  const dispatching = dispatchPorts(table, env, logFailure('start-batch'));
  const secrets = new SecretsManagerClient({ ...CLIENT_OPTIONS });
  const ports: CreateBatchPorts = {
    batches: dynamoBatchStore(table),
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    idempotencyKeys: dynamoIdempotencyKeys(table),
    jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
    dispatch: (batch) => dispatchBatch(dispatching, batch),
    webhookSecrets: kmsWebhookSecrets(new KMSClient({ ...CLIENT_OPTIONS }), env.WEBHOOK_KEY_ARN),
    catalogue: remembered(() => deployedPacks(env)),
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
