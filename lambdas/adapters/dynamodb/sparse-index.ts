import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { addSeconds, type Timestamp } from '../../domain/clock.ts';
import type { ScanPage, ScanPosition, ScanPositions } from '../../domain/reconcile/index-scan.ts';
import { SHARDS, scanPositionKey } from './item-keys.ts';
import { type Item, readItem, type Table } from './table.ts';
import { putOnCondition } from './transition.ts';

/** An index of unfinished work, sharded and sorted by time. An item without the shard attribute is not in the index. */
export interface SparseIndex {
  readonly name: 'unfinished' | 'undelivered';
  readonly shard: string;
  /** @default {@link SHARDS} */
  readonly shards?: readonly string[];
  readonly time: string;
}

/** The limit applies per shard, so a page has at most this many items of each shard. */
const PAGE_ITEMS = 50;

/** The start is inclusive, the end exclusive. */
export interface Span {
  readonly from?: Timestamp;
  readonly before: Timestamp;
}

/**
 * Yields pages of the keys of items in the time span, with the oldest items of every shard first. Following the pages
 * reaches every item, however many older items remain. The keys are hints, because an index lags behind its table.
 * @param after the position at which an earlier page ended
 */
export async function* readPages(
  table: Table,
  index: SparseIndex,
  span: Span,
  after: ScanPosition | null,
): AsyncGenerator<ScanPage<Item>> {
  const { shards = SHARDS } = index;
  let open = after === null ? shards.map((shard): ShardCursor => ({ shard })) : cursorsAt(after);
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
  z.object({ shard: z.string(), start: z.optional(z.record(z.string(), z.unknown())) }),
);

function cursorsAt(position: ScanPosition): readonly ShardCursor[] {
  return cursors.parse(JSON.parse(position));
}

/** Sorts before every time. */
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

/** Stored times are whole milliseconds, so this is the smallest difference between two times. */
const MILLISECOND = 0.001;

const AT_START = 'attribute_not_exists(place) OR attribute_type(place, :null)';

/** Stores items `SWEEPS` / `SWEEP#<index>`. */
export function dynamoScanPositions(table: Table): ScanPositions {
  return {
    async readPosition(name) {
      const item = await readItem(table, scanPositionKey(name));
      return z.nullable(z.string()).parse(item?.['place'] ?? null);
    },

    advance(name, from, to) {
      return putOnCondition(table, {
        Item: { ...scanPositionKey(name), place: to },
        ConditionExpression: from === null ? AT_START : 'place = :from',
        ExpressionAttributeValues: from === null ? { ':null': 'NULL' } : { ':from': from },
      });
    },
  };
}
