import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { type BatchRun, toRun } from '../../domain/batch/batch.ts';
import type { BatchQueue, WaitingTenant } from '../../domain/dispatch/batch-queue.ts';
import {
  afterPrefix,
  DISPATCH_PARTITION,
  type Key,
  lastServedKey,
  PREFIX,
  queuedBatchKey,
  queuePartition,
  waitingTenantKey,
} from './item-keys.ts';
import { epochSeconds, type Item, readItem, type Table } from './table.ts';
import { putOnCondition, transition, updateOnCondition } from './transition.ts';

const waitingBatch = z.pipe(
  z.object({ sk: z.string(), total_jobs: z.int(), copies: z.optional(z.literal(true)) }),
  z.transform(
    ({ sk, total_jobs, copies = false }): BatchRun => ({ batch_id: sk, total_jobs, copies }),
  ),
);

const waitingTenant = z.pipe(
  z.object({ sk: afterPrefix(PREFIX.waitingTenant), latest: z.string() }),
  z.transform(({ sk, latest }): WaitingTenant => ({ tenant: sk, latest })),
);

/**
 * Stores items `LINE#<tenant>` / `<batch>`, one item `DISPATCH` / `WAITING#<tenant>` for each tenant with a queue, and
 * the item `DISPATCH` / `TURN`.
 */
export function dynamoBatchQueue(table: Table): BatchQueue {
  return {
    async enqueue(batch) {
      const { batch_id: batchId, tenant, results_expire_at } = batch;
      const { total_jobs, copies } = toRun(batch);
      await putOnCondition(table, {
        Item: {
          ...queuedBatchKey(tenant, batchId),
          total_jobs,
          ...(copies ? { copies } : {}),
          expires_at: epochSeconds(results_expire_at),
        },
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      // This write comes second and stores the batch's ID. `removeTenant` fails if the stored ID has changed, so it
      // cannot overlook a batch that has just been queued.
      await updateOnCondition(table, {
        Key: waitingTenantKey(tenant),
        UpdateExpression: 'SET latest = :batch',
        ConditionExpression: 'attribute_not_exists(latest) OR latest <> :batch',
        ExpressionAttributeValues: { ':batch': batchId },
      });
    },

    async remove(tenant, batchId) {
      await deleteOnCondition(table, queuedBatchKey(tenant, batchId), 'attribute_exists(pk)');
    },

    async contains(tenant, batchId) {
      const items = await Promise.all([
        readItem(table, queuedBatchKey(tenant, batchId)),
        readItem(table, waitingTenantKey(tenant)),
      ]);
      return items.every((item) => item !== null);
    },

    async readFirst(tenant, count) {
      const items = await query(table, queuePartition(tenant), '0', 'g', count);
      return items.map((item) => waitingBatch.parse(item));
    },

    async readTenants(after, count) {
      const start = after === null ? undefined : waitingTenantKey(after);
      const from = PREFIX.waitingTenant;
      const items = await query(table, DISPATCH_PARTITION, from, `${from}~`, count, start);
      return items.map((item) => waitingTenant.parse(item));
    },

    removeTenant({ tenant, latest }) {
      return deleteOnCondition(table, waitingTenantKey(tenant), 'latest = :latest', {
        ':latest': latest,
      });
    },

    async readLastServed() {
      const item = await readItem(table, lastServedKey);
      return z.nullable(z.string()).parse(item?.['of_tenant'] ?? null);
    },

    setLastServed(from, to) {
      return updateOnCondition(table, {
        Key: lastServedKey,
        UpdateExpression: 'SET of_tenant = :to',
        ConditionExpression: from === null ? 'attribute_not_exists(pk)' : 'of_tenant = :from',
        ExpressionAttributeValues: { ':to': to, ...(from === null ? {} : { ':from': from }) },
      });
    },
  };
}

/** Reads the first items of a key range. DynamoDB continues after `start` even if that item does not exist. */
async function query(
  table: Table,
  partition: string,
  first: string,
  last: string,
  count: number,
  start?: Key,
): Promise<readonly Item[]> {
  const { Items: items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': partition, ':first': first, ':last': last },
      Limit: count,
      ExclusiveStartKey: start,
    }),
  );
  return items;
}

function deleteOnCondition(
  table: Table,
  key: Key,
  condition: string,
  values?: Readonly<Record<string, unknown>>,
) {
  return transition(() =>
    table.client
      .send(
        new DeleteCommand({
          TableName: table.name,
          Key: key,
          ConditionExpression: condition,
          ...(values === undefined ? {} : { ExpressionAttributeValues: { ...values } }),
        }),
      )
      .then(() => undefined),
  );
}
