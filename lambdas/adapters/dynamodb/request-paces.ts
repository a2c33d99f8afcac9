import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { PaceOutcome, RequestPaces } from '../../domain/admission/request-rate.ts';
import { requestPaceKey } from './keys.ts';
import type { Table } from './table.ts';

/** Long after whatever it holds is past; TTL then removes it. */
const KEPT_SECONDS = 3_600;

type Step = Required<Pick<UpdateCommandInput, 'UpdateExpression' | 'ConditionExpression'>> & {
  readonly values: Readonly<Record<string, number>>;
};

/**
 * Items `REQUESTS#<tenant>`: one number a tenant. A tenant that keeps its pace costs one write a
 * request; one that runs ahead costs two, for DynamoDB has no maximum of two numbers.
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
