import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Clock, Timestamp } from '../../domain/clock.ts';
import type { BatchId } from '../../domain/identity.ts';
import { TransientFailure } from '../../domain/step-failure.ts';
import { batchKey, type Key } from './item-keys.ts';

export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
  readonly clock: Clock;
  /** Cached expiry times of batches; see {@link readExpiry}. */
  readonly ends: Map<BatchId, number>;
}

export type Item = Readonly<Record<string, unknown>>;

/**
 * A double has at most 17 significant digits and DynamoDB keeps 38, so the numbers that the SDK calls imprecise are
 * stored exactly. DynamoDB rejects magnitudes from 1e126, and below 1e-130 except zero.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-data-types-number
 */
export const NUMBERS_AS_DOUBLES = {
  marshallOptions: { allowImpreciseNumbers: true },
  unmarshallOptions: { wrapNumbers: Number },
} as const;

export function openTable(name: string, client: DynamoDBClient): Table {
  return {
    // Copies, because the client writes its defaults into these options.
    client: DynamoDBDocumentClient.from(client, {
      marshallOptions: { ...NUMBERS_AS_DOUBLES.marshallOptions },
      unmarshallOptions: { ...NUMBERS_AS_DOUBLES.unmarshallOptions },
    }),
    name,
    clock: () => new Date(),
    ends: new Map(),
  };
}

/** Converts to DynamoDB's TTL format, epoch seconds, rounded up so that nothing expires early. */
export function epochSeconds(time: Timestamp): number {
  return Math.ceil(Date.parse(time) / 1000);
}

/** TTL may delete items days late, so an expired item counts as deleted. */
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

/** DynamoDB leaves out the keys of throttled partitions and items beyond 16 MB; they are requested again. */
const BATCH_GET_RETRIES = { attempts: 6, baseMs: 50, capMs: 1_000 };

/** Reads at most 100 different keys, and returns their items in the order of the keys. */
export async function readItems(
  table: Table,
  keys: readonly Key[],
): Promise<readonly (Item | null)[]> {
  const itemsByName = new Map<string, Item>();
  const nameOf = ({ pk, sk }: Item) => `${pk} ${sk}`;
  let left: readonly Item[] = keys.map(({ pk, sk }) => ({ pk, sk }));
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt === BATCH_GET_RETRIES.attempts) {
      throw new TransientFailure(`DynamoDB did not return ${left.length} of ${keys.length} items`);
    }
    if (attempt > 0) {
      const { baseMs, capMs } = BATCH_GET_RETRIES;
      await sleep(Math.random() * Math.min(capMs, baseMs * 2 ** attempt));
    }
    const { Responses, UnprocessedKeys } = await table.client.send(
      new BatchGetCommand({
        RequestItems: { [table.name]: { Keys: [...left], ConsistentRead: true } },
      }),
    );
    for (const item of Responses?.[table.name] ?? []) itemsByName.set(nameOf(item), item);
    left = UnprocessedKeys?.[table.name]?.Keys ?? [];
  }
  return keys.map(({ pk, sk }) => {
    const item = itemsByName.get(nameOf({ pk, sk }));
    return item !== undefined && isLive(table, item) ? item : null;
  });
}

/** Must include `expires_at`. */
type Projection = Pick<QueryCommandInput, 'ProjectionExpression' | 'ExpressionAttributeNames'>;

/** Reads the items of one partition whose sort keys are between `first` and `last` (inclusive), in order. */
export async function readRange(
  table: Table,
  partition: string,
  first: string,
  last: string,
  projection: Projection = {},
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
        ...projection,
      }),
    );
    items.push(...(page.Items ?? []).filter((item) => isLive(table, item)));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}

const MAX_CACHED_ENDS = 256;

/**
 * Reads the `expires_at` that all items of a batch share. It never changes, so it is cached.
 * @throws Error if the batch does not exist or has expired
 */
export async function readExpiry(table: Table, batchId: BatchId): Promise<number> {
  const known = table.ends.get(batchId);
  if (known !== undefined) return known;
  const end = (await readItem(table, batchKey(batchId)))?.['expires_at'];
  if (typeof end !== 'number') throw new Error(`batch ${batchId} does not exist or has expired`);
  if (table.ends.size >= MAX_CACHED_ENDS) table.ends.clear();
  table.ends.set(batchId, end);
  return end;
}
