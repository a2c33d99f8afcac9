import { dynamoQuotas } from '../../adapters/dynamodb/charges.ts';
import { dynamoRecentTimes } from '../../adapters/dynamodb/recent-times.ts';
import { dynamoTenantRecords } from '../../adapters/dynamodb/tenants.ts';
import { env } from '../../adapters/environment/env.ts';
import { memoized } from '../../adapters/memoized.ts';
import { deployedPacks } from '../../adapters/packs/deployed-packs.ts';
import { processCpu } from '../../adapters/processor.ts';
import type { EstimatePorts } from '../../domain/admission/estimate.ts';
import { BATCH_OPERATIONS } from '../definitions/batches.ts';
import { handleKeyed } from '../http/handle-keyed.ts';
import { estimateBatchOperation } from '../operations/batch/estimate-batch.ts';

export const handler = handleKeyed('estimate-batch', BATCH_OPERATIONS, (table, weigh) => {
  const variables = env('api/functions/estimate-batch');
  const ports: EstimatePorts = {
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    recentTimes: dynamoRecentTimes(table),
    catalogue: memoized(() => deployedPacks(variables)),
    clock: table.clock,
    cpuClock: processCpu,
    concurrency: { jobs: variables.JOBS_AT_ONCE, patchBatches: variables.PATCH_BATCHES_AT_ONCE },
    memory: variables.MEMORY_MB,
    region: variables.AWS_REGION,
    retentionDays: variables.RETENTION_DAYS,
  };
  const policy = {
    schemes: variables.WEBHOOK_SCHEMES,
    privateReceivers: variables.WEBHOOK_PRIVATE_RECEIVERS,
    ports: variables.WEBHOOK_PORTS,
  };
  return { 'estimate-batch': estimateBatchOperation(ports, policy, weigh) };
});
