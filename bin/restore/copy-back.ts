import {
  ConditionalCheckFailedException,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { PutCommand, paginateScan, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../lambdas/adapters/dynamodb/table.ts';
import { CommandError } from '../operator/command.ts';

export const PARTS = ['keys', 'everything'] as const;
export type Part = (typeof PARTS)[number];

/** Items of each part; the keys of items are those of `lambdas/adapters/dynamodb/item-keys.ts`. */
const ITEMS = {
  keys: {
    FilterExpression: 'sk = :key OR sk = :tenant',
    ExpressionAttributeValues: { ':key': 'KEY', ':tenant': 'TENANT' },
  },
  /**
   * All but the slots and the queue of batches at the restored time: the reconciler rebuilds them, and a
   * slot of a batch that has ended since would never be released.
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
 * Copies items that the table lacks. Existing items are newer than the restored ones and stay: a key
 * that was revoked since stays revoked.
 * @throws CommandError if the table `from` does not exist
 */
export async function copyBack(
  { client, name }: Table,
  from: string,
  part: Part,
): Promise<{ readonly copied: number; readonly present: number }> {
  const counts = { copied: 0, present: 0 };
  const scan = { TableName: from, ConsistentRead: true, ...ITEMS[part] };
  for await (const { Items = [] } of pagesOf(client, scan)) {
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

async function* pagesOf(client: Table['client'], scan: ScanCommandInput) {
  try {
    yield* paginateScan({ client }, scan);
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new CommandError(
      `--from: table ${scan.TableName} does not exist in this account and region`,
    );
  }
}
