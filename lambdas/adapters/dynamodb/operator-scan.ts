import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Item, Table } from './table.ts';

/** Scans the whole table. Only operators list keys and tenants, and too rarely for an index. */
export async function scanKind(
  table: Table,
  partitionPrefix: string,
  sortKey: string,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await table.client.send(
      new ScanCommand({
        TableName: table.name,
        ConsistentRead: true,
        FilterExpression: 'begins_with(pk, :prefix) AND sk = :sk',
        ExpressionAttributeValues: { ':prefix': partitionPrefix, ':sk': sortKey },
        ExclusiveStartKey: start,
      }),
    );
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}
