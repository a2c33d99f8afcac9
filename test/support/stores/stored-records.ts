import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { batchItem, dynamoBatchStore } from '../../../lambdas/adapters/dynamodb/batches.ts';
import { busEventPut } from '../../../lambdas/adapters/dynamodb/bus-outbox.ts';
import {
  batchKey,
  jobKey,
  type Key,
  metadataKey,
  outboxKey,
  patchBatchKey,
  planKey,
  slotKey,
  tenantSlotKey,
} from '../../../lambdas/adapters/dynamodb/item-keys.ts';
import { scanKind } from '../../../lambdas/adapters/dynamodb/operator-scan.ts';
import { outboxPut } from '../../../lambdas/adapters/dynamodb/outbox.ts';
import { planItem } from '../../../lambdas/adapters/dynamodb/plan-item.ts';
import { epochSeconds, type Item, type Table } from '../../../lambdas/adapters/dynamodb/table.ts';
import { type Batch, batchRecord } from '../../../lambdas/domain/batch/batch.ts';
import { EVENT_TYPE } from '../../../lambdas/domain/delivery/batch-finished.ts';
import type { BusEvent } from '../../../lambdas/domain/delivery/bus-outbox.ts';
import type { OutboxEvent } from '../../../lambdas/domain/delivery/outbox.ts';
import type { HeldSlot } from '../../../lambdas/domain/dispatch/slots.ts';
import type { BatchId } from '../../../lambdas/domain/identity.ts';
import { type JobRecord, jobRecord } from '../../../lambdas/domain/job/job.ts';
import {
  type PatchBatchRecord,
  type Plan,
  patchBatchRecord,
} from '../../../lambdas/domain/patch-batch/patch-batch.ts';

/**
 * Writes items as the stores would leave them behind, for tests of reads, because a store reaches a state only step by
 * step. Existing items are replaced.
 */
export function storedRecords(table: Table) {
  const store = async (key: Key, attributes: Item): Promise<void> => {
    const Item = { expires_at: FAR, ...attributes, ...key };
    const writes = [{ Put: { TableName: table.name, Item } }];
    await table.client.send(new TransactWriteCommand({ TransactItems: writes }));
  };
  const remove = async (key: Key): Promise<void> => {
    const writes = [{ Delete: { TableName: table.name, Key: { ...key } } }];
    await table.client.send(new TransactWriteCommand({ TransactItems: writes }));
  };
  const batches = dynamoBatchStore(table);
  const storedBatch = async (batchId: BatchId) => {
    const batch = await batches.readBatch(batchId);
    if (batch === null) throw new Error(`no batch ${batchId}`);
    return { batch, metadata: await batches.readMetadata(batchId) };
  };
  const storeBatch = async (batch: Batch, metadata: string | null = null): Promise<void> => {
    const expires_at = epochSeconds(batch.results_expire_at);
    await store(batchKey(batch.batch_id), { ...batchItem(batch), expires_at });
    if (metadata !== null) {
      await store(metadataKey(batch.batch_id), { text: metadata, expires_at });
    }
  };
  return {
    /** Oldest first. */
    async batchIds(): Promise<readonly BatchId[]> {
      const items = await scanKind(table, 'BATCH#', 'BATCH');
      return items.map((item) => String(item['batch_id'])).sort();
    },
    storedBatch,
    storeBatch,
    /** Stores the batch with these changes, and with its metadata unchanged. */
    async changeBatch(batchId: BatchId, changes: Partial<Batch>): Promise<void> {
      await storeBatch(batchRecord.parse({ ...(await storedBatch(batchId)).batch, ...changes }));
    },
    async storeSlot({ batchId, tenant, ofAll, ofTenant }: HeldSlot): Promise<void> {
      const batch_id = batchId;
      await store(slotKey(ofAll), { batch_id, of_tenant: tenant, tenant_slot: ofTenant });
      await store(tenantSlotKey(tenant, ofTenant), { batch_id, slot: ofAll });
    },
    removeBatch: (batchId: BatchId) => remove(batchKey(batchId)),
    removeJob: (batchId: BatchId, index: number) => remove(jobKey(batchId, index)),
    storeEvent: (event: OutboxEvent) =>
      store(outboxKey(event.batch_id, event.event), outboxPut(table, event, FAR).Put.Item),
    storeBusEvent: (event: BusEvent) =>
      store(outboxKey(event.batchId, EVENT_TYPE), busEventPut(table, event, FAR).Put.Item),
    removeEvent: (batchId: BatchId) => remove(outboxKey(batchId, 'batch.completed')),
    storeJob: (batchId: BatchId, record: JobRecord) =>
      store(jobKey(batchId, record.job_index), jobRecord.parse(record)),
    storePlan: (batchId: BatchId, jobIndex: number, plan: Plan) =>
      store(planKey(batchId, jobIndex), planItem(plan)),
    storePatchBatch: (batchId: BatchId, jobIndex: number, record: PatchBatchRecord) =>
      store(
        patchBatchKey(batchId, jobIndex, record.patch_batch_idx),
        patchBatchRecord.parse(record),
      ),
  };
}

/** A time after every test's clock. */
const FAR = epochSeconds('2100-01-01T00:00:00.000Z');
