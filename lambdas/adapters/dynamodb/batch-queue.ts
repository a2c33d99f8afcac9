import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { BatchQueue, WaitingBatch, WaitingTenant } from '../../domain/dispatch/batch-queue.ts';
import {
  DISPATCH_PARTITION,
  type Key,
  lastServedKey,
  queuedBatchKey,
  queuePartition,
  waitingTenantKey,
} from './item-keys.ts';
import { epochSeconds, type Item, readItem, type Table } from './table.ts';
import { putOnCondition, transition, updateOnCondition } from './transition.ts';

const waitingBatch = z.pipe(
  z.object({ sk: z.string(), total_jobs: z.int() }),
  z.transform((item): WaitingBatch => ({ batch_id: item.sk, total_jobs: item.total_jobs })),
);

const waitingTenant = z.pipe(
  z.object({ sk: z.string().check(z.startsWith('WAITING#')), latest: z.string() }),
  z.transform(
    (item): WaitingTenant => ({ tenant: item.sk.slice('WAITING#'.length), latest: item.latest }),
  ),
);

/**
 * Stores items `LINE#<tenant>` / `<batch>`, and one item `DISPATCH` / `WAITING#<tenant>` for each tenant with a queue.
 */
export function dynamoBatchQueue(table: Table): BatchQueue {
  return {
    async enqueue({ batch_id: batchId, tenant, total_jobs, results_expire_at }) {
      await putOnCondition(table, {
        Item: {
          ...queuedBatchKey(tenant, batchId),
          total_jobs,
          expires_at: epochSeconds(results_expire_at),
        },
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      // This write comes second and names the batch, so that `removeTenant` notices a batch added in between.
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
      const items = await query(table, DISPATCH_PARTITION, 'WAITING#', 'WAITING#~', count, start);
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
