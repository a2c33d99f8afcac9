import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { BatchIndex, BatchPosition } from '../../domain/batch/batch-index.ts';
import { batchKey } from './keys.ts';
import type { Table } from './table.ts';

/** Index `by_tenant`, of whatever has a `tenant` and a `created_at`: the batch items. */
export function dynamoBatchIndex(table: Table): BatchIndex {
  return {
    async newestAfter(tenant, after, count) {
      const places: BatchPosition[] = [];
      let start = after === null ? undefined : keyOf(tenant, after);
      do {
        const page = await table.client.send(
          new QueryCommand({
            TableName: table.name,
            IndexName: 'by_tenant',
            KeyConditionExpression: 'tenant = :tenant',
            ExpressionAttributeValues: { ':tenant': tenant },
            ScanIndexForward: false,
            Limit: count - places.length,
            ExclusiveStartKey: start,
          }),
        );
        places.push(...(page.Items ?? []).map((item) => hint.parse(item)));
        start = page.LastEvaluatedKey;
      } while (start !== undefined && places.length < count);
      return places;
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

/** DynamoDB goes on after these keys whether or not their item is still there. */
function keyOf(tenant: string, { batchId, createdAt }: BatchPosition): Record<string, unknown> {
  return { ...batchKey(batchId), tenant, created_at: createdAt };
}
