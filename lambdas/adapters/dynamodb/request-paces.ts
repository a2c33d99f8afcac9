import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { furthestDueTime, type RequestPaces } from '../../domain/admission/request-rate.ts';
import { requestPaceKey } from './item-keys.ts';
import type { Table } from './table.ts';

/** TTL deletes the item long after the stored time has passed. */
const KEPT_SECONDS = 3_600;

/**
 * Stores items `REQUESTS#<tenant>` / `REQUESTS`. Some requests cost two writes, because DynamoDB expressions have no
 * maximum function.
 */
export function dynamoRequestPaces(table: Table): RequestPaces {
  return {
    async take(tenant, pace, now, { weight, latest }) {
      const put = weight * pace.intervalMs;
      const due = await update(table, tenant, now, {
        UpdateExpression: 'SET due = :next, expires_at = :end',
        ConditionExpression: 'attribute_not_exists(due) OR due <= :now OR due > :furthest',
        values: { ':next': now + put, ':now': now, ':furthest': furthestDueTime(pace, now) },
      });
      if (due === null || due > latest) return due;
      return update(table, tenant, now, {
        UpdateExpression: 'SET due = due + :put, expires_at = :end',
        ConditionExpression: 'due <= :latest',
        values: { ':put': put, ':latest': latest },
      });
    },
  };
}

interface Step
  extends Required<Pick<UpdateCommandInput, 'UpdateExpression' | 'ConditionExpression'>> {
  readonly values: Readonly<Record<string, number>>;
}

/** @returns null if the item was updated, otherwise the stored time that failed the condition */
async function update(
  table: Table,
  tenant: string,
  now: number,
  { values, ...expressions }: Step,
): Promise<number | null> {
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: requestPaceKey(tenant),
        ...expressions,
        ExpressionAttributeValues: { ...values, ':end': Math.ceil(now / 1_000) + KEPT_SECONDS },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return null;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The SDK does not convert the item that is attached to an error.
    return Number(error.Item?.['due']?.N ?? 0);
  }
}
