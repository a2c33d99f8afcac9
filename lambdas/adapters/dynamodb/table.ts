import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock, Timestamp } from '../../domain/clock.ts';
import type { BatchId } from '../../domain/identity.ts';
import { batchKey, type Key } from './keys.ts';

/** The one table of a deployment. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
  readonly clock: Clock;
  /** What is known of the ends of batches; see {@link expiryOf}. */
  readonly ends: Map<BatchId, number>;
}

export type Item = Readonly<Record<string, unknown>>;

export function openTable(name: string, client: DynamoDBClient): Table {
  return {
    client: DynamoDBDocumentClient.from(client),
    name,
    clock: () => new Date(),
    ends: new Map(),
  };
}

/** DynamoDB's TTL attribute: epoch seconds, rounded up so that nothing ends early. */
export function epochSeconds(time: Timestamp): number {
  return Math.ceil(Date.parse(time) / 1000);
}

/** TTL deletes only days later, so every read compares the item's end with the clock. */
function isLive(table: Table, item: Item): boolean {
  const end = item['expires_at'];
  return typeof end !== 'number' || end * 1000 > table.clock().getTime();
}

export async function readItem(table: Table, key: Key): Promise<Item | null> {
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }),
  );
  return item !== undefined && isLive(table, item) ? item : null;
}

/** Items of one partition with `first` ≤ sort key ≤ `last`, in order; DynamoDB pages at 1 MB. */
export async function readRange(
  table: Table,
  partition: string,
  first: string,
  last: string,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': partition, ':first': first, ':last': last },
        ExclusiveStartKey: start,
      }),
    );
    items.push(...(page.Items ?? []).filter((item) => isLive(table, item)));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}

const MAX_CACHED_ENDS = 256;

/**
 * `expires_at` of a batch, carried by everything written for it. It never changes, so one read a
 * batch and container is enough.
 * @throws Error when the batch is not there
 */
export async function expiryOf(table: Table, batchId: BatchId): Promise<number> {
  const known = table.ends.get(batchId);
  if (known !== undefined) return known;
  const end = (await readItem(table, batchKey(batchId)))?.['expires_at'];
  if (typeof end !== 'number') throw new Error(`batch ${batchId} does not exist`);
  if (table.ends.size >= MAX_CACHED_ENDS) table.ends.clear();
  table.ends.set(batchId, end);
  return end;
}
