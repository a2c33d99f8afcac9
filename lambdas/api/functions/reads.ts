import { secretsManagerClient } from '../../adapters/clients.ts';
import { cursorKey } from '../../adapters/cursor-key.ts';
import { dynamoBatchIndex } from '../../adapters/dynamodb/batch-index.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoQuotas } from '../../adapters/dynamodb/charges.ts';
import { dynamoDeliveryLog } from '../../adapters/dynamodb/delivery-log.ts';
import { dynamoJobStore } from '../../adapters/dynamodb/jobs.ts';
import { dynamoOutboxStore } from '../../adapters/dynamodb/outbox.ts';
import { dynamoPatchBatchStore } from '../../adapters/dynamodb/patch-batches.ts';
import { dynamoRecentTimes } from '../../adapters/dynamodb/recent-times.ts';
import { dynamoTenantRecords } from '../../adapters/dynamodb/tenants.ts';
import { env } from '../../adapters/environment.ts';
import { deployedPacks } from '../../adapters/packs/deployed-packs.ts';
import { BATCH_OPERATIONS } from '../definitions/batches.ts';
import { JOB_OPERATIONS } from '../definitions/jobs.ts';
import { TENANT_OPERATIONS } from '../definitions/tenant.ts';
import { WEBHOOK_OPERATIONS } from '../definitions/webhooks.ts';
import { builtWith, type PortsOf } from '../handling/built-with.ts';
import { handleKeyed } from '../handling/handle-keyed.ts';
import { READS } from '../operations/reads.ts';

const DEFINITIONS = {
  ...BATCH_OPERATIONS,
  ...JOB_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...TENANT_OPERATIONS,
};

export const handler = handleKeyed('reads', DEFINITIONS, (table) => {
  const secrets = secretsManagerClient();
  const ports: PortsOf<typeof READS> = {
    batchIndex: dynamoBatchIndex(table),
    recentTimes: dynamoRecentTimes(table),
    jobsAtOnce: env.JOBS_AT_ONCE,
    batches: dynamoBatchStore(table),
    jobs: dynamoJobStore(table),
    patchBatches: dynamoPatchBatchStore(table),
    outbox: dynamoOutboxStore(table),
    log: dynamoDeliveryLog(table),
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    catalogue: () => deployedPacks(env),
    configured: {
      retentionDays: env.RETENTION_DAYS,
      runningBatches: env.RUNNING_BATCHES_PER_TENANT,
    },
    cursorKey: cursorKey(secrets, env.CURSOR_SECRET_ARN),
    clock: table.clock,
  };
  return builtWith(READS, ports);
});
