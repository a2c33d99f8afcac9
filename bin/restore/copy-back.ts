import {
  ConditionalCheckFailedException,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { PutCommand, paginateScan, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../lambdas/adapters/dynamodb/table.ts';
import { CommandError } from '../operator/command-error.ts';

export const PARTS = ['keys', 'everything'] as const;
export type Part = (typeof PARTS)[number];

/** Items of each part; the keys of items are those of `lambdas/adapters/dynamodb/keys.ts`. */
const ITEMS = {
  keys: {
    FilterExpression: 'sk = :key OR sk = :tenant',
    ExpressionAttributeValues: { ':key': 'KEY', ':tenant': 'TENANT' },
  },
  /**
   * All but who ran and who waited at that moment: the reconciler finds that anew, and a slot held for a
   * batch that has long ended would never be free.
   */
  everything: {
    FilterExpression:
      'NOT (pk IN (:dispatch, :sweeps) OR begins_with(pk, :line) OR begins_with(sk, :slot))',
    ExpressionAttributeValues: {
      ':dispatch': 'DISPATCH',
      ':sweeps': 'SWEEPS',
      ':line': 'LINE#',
      ':slot': 'SLOT#',
    },
  },
} as const satisfies Readonly<Record<Part, object>>;

/**
 * Copies what the table lacks. Whatever is there is newer than the restored moment and stays: a key
 * that was revoked since is not opened again.
 * @throws CommandError where there is no such table to copy from
 */
export async function copyBack(
  { client, name }: Table,
  from: string,
  part: Part,
): Promise<{ readonly copied: number; readonly present: number }> {
  const counts = { copied: 0, present: 0 };
  const asked = { TableName: from, ConsistentRead: true, ...ITEMS[part] };
  for await (const { Items = [] } of pagesOf(client, asked)) {
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

async function* pagesOf(client: Table['client'], asked: ScanCommandInput) {
  try {
    yield* paginateScan({ client }, asked);
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new CommandError(
      `--from: there is no table ${asked.TableName} in this account and region`,
    );
  }
}
