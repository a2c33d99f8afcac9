import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../lambdas/adapters/dynamodb/table.ts';

export const PARTS = ['keys', 'everything'] as const;
export type Part = (typeof PARTS)[number];

const KEYS = {
  FilterExpression: 'begins_with(pk, :key) OR begins_with(pk, :tenant)',
  ExpressionAttributeValues: { ':key': 'KEY#', ':tenant': 'TENANT#' },
};

/**
 * Copies what the table lacks. Whatever is there is newer than the restored moment and stays: a key
 * that was revoked since is not opened again.
 */
export async function copyBack(
  { client, name }: Table,
  from: string,
  part: Part,
): Promise<{ readonly copied: number; readonly present: number }> {
  const counts = { copied: 0, present: 0 };
  const asked = { TableName: from, ConsistentRead: true, ...(part === 'keys' ? KEYS : {}) };
  for await (const { Items = [] } of paginateScan({ client }, asked)) {
    for (const Item of Items) {
      const missing = { TableName: name, Item, ConditionExpression: 'attribute_not_exists(pk)' };
      try {
        await client.send(new PutCommand(missing));
        counts.copied += 1;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        counts.present += 1;
      }
    }
  }
  return counts;
}
