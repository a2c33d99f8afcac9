import { dynamoQuotas } from '../../adapters/dynamodb/quotas.ts';
import { dynamoTenantRecords } from '../../adapters/dynamodb/tenants.ts';
import { environment } from '../../adapters/environment.ts';
import { deployedPacks } from '../../adapters/packs/deployed-packs.ts';
import { remembered } from '../../adapters/remembered.ts';
import type { EstimatePorts } from '../../domain/admission/estimate.ts';
import { handleKeyed } from '../http/handle-keyed.ts';
import { estimateBatchOperation } from '../operations/batch/estimate-batch.ts';

export const handler = handleKeyed('estimate-batch', (table, weigh) => {
  const env = environment(
    'LAMBDA_TASK_ROOT',
    'MODEL_PACKS',
    'JOBS_AT_ONCE',
    'PATCH_BATCHES_AT_ONCE',
    'MEMORY_MB',
    'RETENTION_DAYS',
    'AWS_REGION',
    'WEBHOOK_SCHEMES',
    'WEBHOOK_PRIVATE_RECEIVERS',
    'WEBHOOK_PORTS',
  );
  const ports: EstimatePorts = {
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    catalogue: remembered(() => deployedPacks(env)),
    clock: table.clock,
    concurrency: { jobs: env.JOBS_AT_ONCE, patchBatches: env.PATCH_BATCHES_AT_ONCE },
    memory: env.MEMORY_MB,
    region: env.AWS_REGION,
    retentionDays: env.RETENTION_DAYS,
  };
  const policy = {
    schemes: env.WEBHOOK_SCHEMES,
    privateReceivers: env.WEBHOOK_PRIVATE_RECEIVERS,
    ports: env.WEBHOOK_PORTS,
  };
  return { 'estimate-batch': estimateBatchOperation(ports, policy, weigh) };
});
