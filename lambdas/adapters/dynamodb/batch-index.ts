import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { BatchIndex, BatchPosition } from '../../domain/batch/batch-index.ts';
import { batchKey } from './keys.ts';
import type { Table } from './table.ts';

/** Index `by_tenant`: items with `tenant` and `created_at`, which are the batch items. */
export function dynamoBatchIndex(table: Table): BatchIndex {
  return {
    async newestAfter(tenant, after, count) {
      const positions: BatchPosition[] = [];
      let start = after === null ? undefined : keyOf(tenant, after);
      do {
        const page = await table.client.send(
          new QueryCommand({
            TableName: table.name,
            IndexName: 'by_tenant',
            KeyConditionExpression: 'tenant = :tenant',
            ExpressionAttributeValues: { ':tenant': tenant },
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

const hint = z.pipe(
  z.object({ pk: z.string().check(z.startsWith('BATCH#')), created_at: z.string() }),
  z.transform(({ pk, created_at }) => ({
    batchId: pk.slice('BATCH#'.length),
    createdAt: created_at,
  })),
);

/** DynamoDB continues after these keys even if their item no longer exists. */
function keyOf(tenant: string, { batchId, createdAt }: BatchPosition): Record<string, unknown> {
  return { ...batchKey(batchId), tenant, created_at: createdAt };
}
