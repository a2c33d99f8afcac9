import { dynamoQuotas } from '../../adapters/dynamodb/charges.ts';
import { dynamoRecentTimes } from '../../adapters/dynamodb/recent-times.ts';
import { dynamoTenantRecords } from '../../adapters/dynamodb/tenants.ts';
import { env } from '../../adapters/environment.ts';
import { memoized } from '../../adapters/memoized.ts';
import { deployedPacks } from '../../adapters/packs/deployed-packs.ts';
import { processCpu } from '../../adapters/processor.ts';
import type { EstimatePorts } from '../../domain/admission/estimate.ts';
import { BATCH_OPERATIONS } from '../definitions/batches.ts';
import { handleKeyed } from '../handling/handle-keyed.ts';
import { estimateBatchOperation } from '../operations/batch/estimate-batch.ts';

export const handler = handleKeyed('estimate-batch', BATCH_OPERATIONS, (table, weigh) => {
  const ports: EstimatePorts = {
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    recentTimes: dynamoRecentTimes(table),
    catalogue: memoized(() => deployedPacks(env)),
    clock: table.clock,
    cpuClock: processCpu,
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
