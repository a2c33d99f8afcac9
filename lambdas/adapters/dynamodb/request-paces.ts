import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { PaceOutcome, RequestPaces } from '../../domain/admission/request-rate.ts';
import { requestPaceKey } from './keys.ts';
import type { Table } from './table.ts';

/** Long after the stored time has passed; TTL then deletes the item. */
const KEPT_SECONDS = 3_600;

type Step = Required<Pick<UpdateCommandInput, 'UpdateExpression' | 'ConditionExpression'>> & {
  readonly values: Readonly<Record<string, number>>;
};

/**
 * Items `REQUESTS#<tenant>`: one number per tenant. A request costs one write if the tenant is within
 * its even rate, otherwise two, because DynamoDB expressions have no maximum.
 */
export function dynamoRequestPaces(table: Table): RequestPaces {
  return {
    async admit(tenant, { intervalMs, aheadMs }, now, weight) {
      const put = weight * intervalMs;
      const idle: Step = {
        UpdateExpression: 'SET due = :next, expires_at = :end',
        ConditionExpression: 'attribute_not_exists(due) OR due <= :now',
        values: { ':next': now + put, ':now': now },
      };
      const onTime = await take(table, tenant, now, idle);
      if (onTime.kind === 'admitted' || onTime.due > now + aheadMs) return onTime;
      return take(table, tenant, now, {
        UpdateExpression: 'SET due = due + :put, expires_at = :end',
        ConditionExpression: 'due <= :latest',
        values: { ':put': put, ':latest': now + aheadMs },
      });
    },
  };
}

async function take(
  table: Table,
  tenant: string,
  now: number,
  { values, ...expressions }: Step,
): Promise<PaceOutcome> {
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
    return { kind: 'admitted' };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { kind: 'refused', due: Number(error.Item?.['due']?.N) };
  }
}
