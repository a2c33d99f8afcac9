import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Timestamp } from '../../domain/clock.ts';
import { SHARDS } from './keys.ts';
import type { Item, Table } from './table.ts';

/** An index of what waits for something, in shards and by time; items leave it with their shard. */
export interface SparseIndex {
  readonly name: 'unfinished' | 'undelivered';
  /** Attribute of the shard; see {@link SHARDS}. */
  readonly shard: string;
  /** Attribute of the time. */
  readonly time: string;
}

/** Of each shard, so a page has four times as many at most. */
const PAGE_ITEMS = 50;

/**
 * Keys of the items from before then, the oldest of every shard first, to the last page: whoever
 * reads on meets each, however many of the older ones stay. Hints: an index is behind its table.
 */
export async function* pagesBefore(
  table: Table,
  index: SparseIndex,
  before: Timestamp,
): AsyncGenerator<readonly Item[]> {
  let open: readonly Place[] = SHARDS.map((shard) => ({ shard }));
  while (open.length > 0) {
    const pages = await Promise.all(open.map((place) => pageAt(table, index, before, place)));
    yield pages
      .flatMap(({ items }) => items)
      .sort((a, b) => String(a[index.time]).localeCompare(String(b[index.time])));
    open = pages.flatMap(({ next }) => (next === null ? [] : [next]));
  }
}

interface Place {
  readonly shard: string;
  readonly start?: Record<string, unknown>;
}

async function pageAt(table: Table, index: SparseIndex, before: Timestamp, place: Place) {
  const { Items: items = [], LastEvaluatedKey: start } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: index.name,
      KeyConditionExpression: '#shard = :shard AND #time < :before',
      ExpressionAttributeNames: { '#shard': index.shard, '#time': index.time },
      ExpressionAttributeValues: { ':shard': place.shard, ':before': before },
      Limit: PAGE_ITEMS,
      ExclusiveStartKey: place.start,
    }),
  );
  return { items, next: start === undefined ? null : { shard: place.shard, start } };
}
