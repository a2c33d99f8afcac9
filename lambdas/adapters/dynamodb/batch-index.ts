import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { BatchIndex, BatchPosition, CreatedBetween } from '../../domain/batch/batch.ts';
import { timestamp } from '../../domain/clock.ts';
import { afterPrefix, batchKey, PREFIX } from './item-keys.ts';
import type { Table } from './table.ts';

/** Reads the index `by_tenant` of the batch items. */
export function dynamoBatchIndex(table: Table): BatchIndex {
  return {
    async newestAfter(tenant, created, after, count) {
      const { condition, values } = createdCondition(created);
      const positions: BatchPosition[] = [];
      let start = after === null ? undefined : keyOf(tenant, after);
      do {
        const page = await table.client.send(
          new QueryCommand({
            TableName: table.name,
            IndexName: 'by_tenant',
            KeyConditionExpression: `tenant = :tenant${condition}`,
            ExpressionAttributeValues: { ':tenant': tenant, ...values },
            ScanIndexForward: false,
            Limit: count - positions.length,
            ExclusiveStartKey: start,
          }),
        );
        positions.push(...(page.Items ?? []).map((item) => hint.parse(item)));
        start = page.LastEvaluatedKey;
      } while (start !== undefined && positions.length < count);
      return positions;
    },
  };
}

/** Builds a single condition, because DynamoDB allows only one on the sort key. `BETWEEN` includes both ends. */
function createdCondition({ from, before }: CreatedBetween) {
  if (before === undefined) {
    return from === undefined
      ? { condition: '', values: {} }
      : { condition: ' AND created_at >= :from', values: { ':from': from } };
  }
  if (from === undefined) {
    return { condition: ' AND created_at < :before', values: { ':before': before } };
  }
  const last = timestamp(new Date(Date.parse(before) - 1));
  return {
    condition: ' AND created_at BETWEEN :from AND :last',
    values: { ':from': from, ':last': last },
  };
}

const hint = z.pipe(
  z.object({ pk: afterPrefix(PREFIX.batch), created_at: z.string() }),
  z.transform(({ pk, created_at }) => ({ batchId: pk, createdAt: created_at })),
);

/** DynamoDB can continue after these keys even if their item no longer exists. */
function keyOf(tenant: string, { batchId, createdAt }: BatchPosition): Record<string, unknown> {
  return { ...batchKey(batchId), tenant, created_at: createdAt };
}
