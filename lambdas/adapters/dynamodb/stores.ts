import { dynamoApiKeys } from './api-keys.ts';
import { dynamoBatchIndex } from './batch-index.ts';
import { dynamoBatchQueue } from './batch-queue.ts';
import { dynamoBatchStore } from './batches.ts';
import { dynamoBusOutbox } from './bus-outbox.ts';
import { dynamoIdempotencyKeys, dynamoQuotas } from './charges.ts';
import { dynamoCopyStore } from './copies.ts';
import { dynamoDeliveryLog } from './delivery-log.ts';
import { dynamoJobStore } from './jobs.ts';
import { dynamoOutboxStore, dynamoRedeliveries } from './outbox.ts';
import { dynamoPatchBatchStore } from './patch-batches.ts';
import { dynamoRecentTimes } from './recent-times.ts';
import { dynamoRequestPaces } from './request-paces.ts';
import { dynamoSlots } from './slots.ts';
import { dynamoScanPositions } from './sparse-index.ts';
import type { Table } from './table.ts';
import { dynamoTenantRecords } from './tenants.ts';
import { dynamoTestAllowance } from './test-allowance.ts';

export function dynamoStores(table: Table) {
  return {
    batches: dynamoBatchStore(table),
    batchIndex: dynamoBatchIndex(table),
    jobs: dynamoJobStore(table),
    patchBatches: dynamoPatchBatchStore(table),
    copies: dynamoCopyStore(table),
    outbox: {
      ...dynamoOutboxStore(table),
      ...dynamoRedeliveries(table),
      ...dynamoDeliveryLog(table),
    },
    busOutbox: dynamoBusOutbox(table),
    quotas: dynamoQuotas(table),
    idempotencyKeys: dynamoIdempotencyKeys(table),
    slots: dynamoSlots(table),
    batchQueue: dynamoBatchQueue(table),
    scanPositions: dynamoScanPositions(table),
    recentTimes: dynamoRecentTimes(table),
    paces: dynamoRequestPaces(table),
    allowance: dynamoTestAllowance(table),
    tenants: dynamoTenantRecords(table),
    keys: dynamoApiKeys(table),
  };
}

export type Stores = ReturnType<typeof dynamoStores>;
