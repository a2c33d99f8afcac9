import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { addSeconds, type Timestamp } from '../../domain/clock.ts';
import type { ScanPage, ScanPosition } from '../../domain/reconcile/index-scan.ts';
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

/** From the one time on, before the other. */
export interface Span {
  readonly from?: Timestamp;
  readonly before: Timestamp;
}

/**
 * Keys of the items of that time, the oldest of every shard first, to the last page: whoever reads on
 * meets each, however many of the older ones stay. Hints: an index is behind its table.
 * @param after the place of an earlier page: goes on behind it
 */
export async function* pagesOf(
  table: Table,
  index: SparseIndex,
  span: Span,
  after: ScanPosition | null,
): AsyncGenerator<ScanPage<Item>> {
  let open = after === null ? SHARDS.map((shard): ShardCursor => ({ shard })) : cursorsAt(after);
  while (open.length > 0) {
    const pages = await Promise.all(open.map((cursor) => pageAt(table, index, span, cursor)));
    open = pages.flatMap(({ next }) => (next === null ? [] : [next]));
    const hints = pages
      .flatMap(({ items }) => items)
      .sort((a, b) => String(a[index.time]).localeCompare(String(b[index.time])));
    yield { hints, position: open.length === 0 ? null : JSON.stringify(open) };
  }
}

interface ShardCursor {
  readonly shard: string;
  readonly start?: Readonly<Record<string, unknown>> | undefined;
}

const cursors = z.array(
  z.object({ shard: z.enum(SHARDS), start: z.optional(z.record(z.string(), z.unknown())) }),
);

function cursorsAt(position: ScanPosition): readonly ShardCursor[] {
  return cursors.parse(JSON.parse(position));
}

/** Before any time there is. */
const BEGINNING = '0';

async function pageAt(table: Table, index: SparseIndex, span: Span, cursor: ShardCursor) {
  const { Items: items = [], LastEvaluatedKey: start } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: index.name,
      KeyConditionExpression: '#shard = :shard AND #time BETWEEN :from AND :last',
      ExpressionAttributeNames: { '#shard': index.shard, '#time': index.time },
      ExpressionAttributeValues: {
        ':shard': cursor.shard,
        ':from': span.from ?? BEGINNING,
        ':last': addSeconds(span.before, -MILLISECOND),
      },
      Limit: PAGE_ITEMS,
      ExclusiveStartKey: cursor.start,
    }),
  );
  return { items, next: start === undefined ? null : { shard: cursor.shard, start } };
}

/** Times are whole milliseconds, so the last before one is one earlier. */
const MILLISECOND = 0.001;
