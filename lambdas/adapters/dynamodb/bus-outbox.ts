import * as z from 'zod/mini';
import { EVENT_TYPE } from '../../domain/delivery/batch-finished.ts';
import type { BusEvent, BusOutbox } from '../../domain/delivery/bus-outbox.ts';
import { afterPrefix, outboxKey, PREFIX, SHARDS, shardOf } from './item-keys.ts';
import { readPages, type SparseIndex } from './sparse-index.ts';
import { readItem, type Table } from './table.ts';
import { updateOnCondition } from './transition.ts';

/** Bus events have separate shards, so that events that the bus does not accept do not delay overdue webhooks. */
const busShard = (shard: string): string => `BUS#${shard}`;
const UNPUBLISHED: SparseIndex = {
  name: 'undelivered',
  shard: 'undelivered_shard',
  time: 'next_attempt_at',
  shards: SHARDS.map(busShard),
};

const busItem = z.object({
  batch_id: z.string(),
  event_id: z.string(),
  state: z.enum(['due', 'published']),
  next_attempt_at: z.string(),
});

/** For the transaction that finishes the event's batch. */
export function busEventPut(table: Table, { batchId, eventId, at }: BusEvent, end: number) {
  return {
    Put: {
      TableName: table.name,
      Item: {
        ...outboxKey(batchId, EVENT_TYPE),
        batch_id: batchId,
        event: EVENT_TYPE,
        event_id: eventId,
        state: 'due',
        next_attempt_at: at,
        undelivered_shard: busShard(shardOf(batchId)),
        expires_at: end,
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}

export function dynamoBusOutbox(table: Table): BusOutbox {
  return {
    async readUnpublished(batchId) {
      const raw = await readItem(table, outboxKey(batchId, EVENT_TYPE));
      if (raw === null) return null;
      const { event_id, state, next_attempt_at } = busItem.parse(raw);
      return state === 'due' ? { batchId, eventId: event_id, at: next_attempt_at } : null;
    },

    markPublished({ batchId, eventId }) {
      return updateOnCondition(table, {
        Key: outboxKey(batchId, EVENT_TYPE),
        UpdateExpression: 'SET #state = :published REMOVE undelivered_shard',
        ConditionExpression: '#state = :due AND event_id = :event',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':published': 'published', ':due': 'due', ':event': eventId },
      });
    },

    async *unpublished(before, after) {
      for await (const { hints, position } of readPages(table, UNPUBLISHED, { before }, after)) {
        const keys = z.array(hintItem).parse(hints);
        yield { hints: keys.map(({ pk: batchId }) => batchId), position };
      }
    },
  };
}

const hintItem = z.object({
  pk: afterPrefix(PREFIX.batch),
  sk: z.literal(`OUTBOX#${EVENT_TYPE}`),
});
