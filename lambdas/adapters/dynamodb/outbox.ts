import * as z from 'zod/mini';
import {
  type OutboxEvent,
  type OutboxHint,
  type OutboxStore,
  outboxEvent,
} from '../../domain/delivery/outbox.ts';
import { loggedAttempt } from '../../domain/delivery/outcome.ts';
import type { Redeliveries } from '../../domain/delivery/redelivery.ts';
import { afterPrefix, deliveryKey, outboxKey, PREFIX, shardOf } from './item-keys.ts';
import { readPages, type SparseIndex } from './sparse-index.ts';
import { readExpiry, readItem, type Table } from './table.ts';
import { transact, updateOnCondition } from './transition.ts';

/** The write that settles an event removes it from this index; a redelivery adds it again. */
const UNDELIVERED: SparseIndex = {
  name: 'undelivered',
  shard: 'undelivered_shard',
  time: 'next_attempt_at',
};

/** For the transaction that finishes the event's batch. */
export function outboxPut(table: Table, event: OutboxEvent, end: number) {
  return {
    Put: {
      TableName: table.name,
      Item: {
        ...outboxKey(event.batch_id, event.event),
        ...outboxEvent.parse(event),
        undelivered_shard: shardOf(event.batch_id),
        expires_at: end,
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}

export function dynamoOutboxStore(table: Table): OutboxStore {
  return {
    async read(batchId, event) {
      const item = await readItem(table, outboxKey(batchId, event));
      return item === null ? null : outboxEvent.parse(item);
    },

    claim(event, lease, now) {
      return updateOnCondition(table, {
        Key: outboxKey(event.batch_id, event.event),
        UpdateExpression: 'SET lease_id = :lease, lease_until = :until',
        // The condition includes the event ID, because a redelivery requested in the meantime has another body. It
        // accepts the same lease, because the SDK repeats a claim whose response was lost.
        ConditionExpression:
          '#state = :due AND attempts = :attempts AND event_id = :event' +
          ' AND next_attempt_at <= :now' +
          ' AND (attribute_not_exists(lease_until) OR lease_until <= :now OR lease_id = :lease)',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: {
          ':lease': lease.id,
          ':until': lease.until,
          ':due': 'due',
          ':attempts': event.attempts,
          ':event': event.event_id,
          ':now': now,
        },
      });
    },

    release(event, lease, nextAttemptAt) {
      return updateOnCondition(table, {
        Key: outboxKey(event.batch_id, event.event),
        UpdateExpression: 'SET next_attempt_at = :next REMOVE lease_id, lease_until, remind_after',
        ConditionExpression: 'lease_id = :lease',
        ExpressionAttributeValues: { ':next': nextAttemptAt, ':lease': lease.id },
      });
    },

    claimRequeue(event, until, now) {
      return updateOnCondition(table, {
        Key: outboxKey(event.batch_id, event.event),
        UpdateExpression: 'SET remind_after = :until',
        ConditionExpression:
          '#state = :due AND attempts = :attempts AND event_id = :event' +
          ' AND (attribute_not_exists(remind_after) OR remind_after <= :now)',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: {
          ':until': until,
          ':due': 'due',
          ':attempts': event.attempts,
          ':event': event.event_id,
          ':now': now,
        },
      });
    },

    async recordAttempt(after, lease, attempt) {
      const expires_at = await readExpiry(table, after.batch_id);
      const item = {
        ...deliveryKey(after.batch_id, after.event, attempt.attempt),
        ...loggedAttempt.parse(attempt),
        expires_at,
      };
      return transact(table, [
        outboxUpdate(table, after, lease),
        // This write needs no condition: the update above has one, and only this transaction advances the attempt's
        // number.
        { Put: { TableName: table.name, Item: item } },
      ]);
    },

    async *undelivered(before, after) {
      for await (const { hints, position } of readPages(table, UNDELIVERED, { before }, after)) {
        const keys = z.array(hintItem).parse(hints);
        const events = keys.map(
          ({ pk: batchId }): OutboxHint => ({ batchId, event: 'batch.completed' }),
        );
        yield { hints: events, position };
      }
    },
  };
}

function outboxUpdate(table: Table, after: OutboxEvent, lease: { readonly id: string }) {
  const remove = [
    'lease_id',
    'lease_until',
    'remind_after',
    ...(after.state === 'due' ? [] : ['undelivered_shard']),
  ];
  return {
    Update: {
      TableName: table.name,
      Key: outboxKey(after.batch_id, after.event),
      UpdateExpression:
        'SET #state = :state, attempts = :attempts, next_attempt_at = :next' +
        ` REMOVE ${remove.join(', ')}`,
      ConditionExpression: 'lease_id = :lease AND #state = :due',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: {
        ':state': after.state,
        ':attempts': after.attempts,
        ':next': after.next_attempt_at,
        ':lease': lease.id,
        ':due': 'due',
      },
    },
  };
}

const hintItem = z.object({
  pk: afterPrefix(PREFIX.batch),
  sk: z.literal('OUTBOX#batch.completed'),
});

export function dynamoRedeliveries(table: Table): Redeliveries {
  return {
    async redeliver(event, again, now) {
      const { redelivery } = outboxEvent.parse(again);
      if (redelivery === undefined)
        throw new Error('the event to deliver again has no redelivery number');
      return updateOnCondition(table, {
        Key: outboxKey(event.batch_id, event.event),
        UpdateExpression:
          'SET #state = :due, event_id = :again, next_attempt_at = :next,' +
          ' undelivered_shard = :shard, redelivery = :redelivery' +
          ' REMOVE lease_id, lease_until, remind_after',
        ConditionExpression:
          'event_id = :event AND attempts = :attempts AND #state = :state' +
          ' AND (attribute_not_exists(lease_until) OR lease_until <= :now)',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: {
          ':due': again.state,
          ':again': again.event_id,
          ':next': again.next_attempt_at,
          ':shard': shardOf(event.batch_id),
          ':redelivery': redelivery,
          ':event': event.event_id,
          ':attempts': event.attempts,
          ':state': event.state,
          ':now': now,
        },
      });
    },
  };
}
