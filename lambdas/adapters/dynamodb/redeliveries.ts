import type { Redeliveries } from '../../domain/delivery/redelivery.ts';
import { outboxKey, shardOf } from './keys.ts';
import type { Table } from './table.ts';
import { updateOnCondition } from './transition.ts';

/** Makes the outbox item due again, and restores its shard in the index of due events. */
export function dynamoRedeliveries(table: Table): Redeliveries {
  return {
    async redeliver(event, again, now) {
      const { redelivery } = again;
      if (redelivery === undefined) throw new Error('a redelivery has a number');
      return updateOnCondition(table, {
        Key: outboxKey(event.batchId, event.event),
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
          ':again': again.eventId,
          ':next': again.nextAttemptAt,
          ':shard': shardOf(event.batchId),
          ':redelivery': {
            number: redelivery.number,
            asked_at: redelivery.requestedAt,
            after_attempts: redelivery.afterAttempts,
          },
          ':event': event.eventId,
          ':attempts': event.attempts,
          ':state': event.state,
          ':now': now,
        },
      });
    },
  };
}
