import type { TestAllowance } from '../../domain/delivery/test-delivery.ts';
import { webhookTestKey } from './item-keys.ts';
import { epochSeconds, type Table } from './table.ts';
import { updateOnCondition } from './transition.ts';

export function dynamoTestAllowance(table: Table): TestAllowance {
  return {
    async take(tenant, minute, allowed) {
      const taken = await updateOnCondition(table, {
        Key: webhookTestKey(tenant, minute),
        UpdateExpression: 'SET expires_at = :end ADD tests :one',
        ConditionExpression: 'attribute_not_exists(tests) OR tests < :allowed',
        ExpressionAttributeValues: {
          ':end': epochSeconds(`${minute}:00.000Z`) + 3_600,
          ':one': 1,
          ':allowed': allowed,
        },
      });
      return taken === 'changed' ? 'taken' : 'used-up';
    },
  };
}
