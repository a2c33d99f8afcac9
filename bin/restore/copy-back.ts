import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { paginateScan, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { DISPATCH_PARTITION, PREFIX } from '../../lambdas/adapters/dynamodb/item-keys.ts';
import type { Table } from '../../lambdas/adapters/dynamodb/table.ts';
import { putOnCondition } from '../../lambdas/adapters/dynamodb/transition.ts';
import type { BatchId } from '../../lambdas/domain/identity.ts';
import { CommandError } from '../operator/command.ts';
import { repairBatch } from './repair-batch.ts';

export const PARTS = ['keys', 'everything'] as const;
export type Part = (typeof PARTS)[number];

const ITEMS = {
  keys: {
    FilterExpression: 'sk = :key OR sk = :tenant',
    ExpressionAttributeValues: { ':key': 'KEY', ':tenant': 'TENANT' },
  },
  /**
   * Everything except the slots, the queue of batches and the reconciler's positions, which are out of date in a
   * restored table. The reconciler rebuilds them, and a copied slot of a batch that has ended since would never be
   * released.
   */
  everything: {
    FilterExpression:
      'NOT (pk IN (:dispatch, :sweeps) OR begins_with(pk, :line) OR begins_with(sk, :slot))',
    ExpressionAttributeValues: {
      ':dispatch': DISPATCH_PARTITION,
      ':sweeps': 'SWEEPS',
      ':line': PREFIX.queue,
      ':slot': PREFIX.slot,
    },
  },
} as const satisfies Readonly<Record<Part, object>>;

export interface CopiedBack {
  readonly copied: number;
  readonly present: number;
  /** Batches in which some jobs failed because their final state was lost. */
  readonly batches_to_retry: readonly BatchId[];
}

/**
 * Copies items that the table lacks. Existing items are newer than the restored ones and stay, so that a key that was
 * revoked since stays revoked. With `everything`, it then repairs every batch of the restored table, not only those
 * with copied items, because an earlier run may have been interrupted and the restored table may lack items too.
 * @throws CommandError if the table `from` does not exist
 */
export async function copyBack(table: Table, from: string, part: Part): Promise<CopiedBack> {
  const counts = { copied: 0, present: 0 };
  const batchIds: BatchId[] = [];
  const scan = { TableName: from, ConsistentRead: true, ...ITEMS[part] };
  for await (const { Items = [] } of scanPages(table.client, scan)) {
    for (const Item of Items) {
      const ConditionExpression = 'attribute_not_exists(pk)';
      if ((await putOnCondition(table, { Item, ConditionExpression })) === 'changed') {
        counts.copied += 1;
      } else {
        counts.present += 1;
      }
      if (Item['sk'] === 'BATCH') batchIds.push(String(Item['batch_id']));
    }
  }
  const toRetry: BatchId[] = [];
  for (const batchId of batchIds) {
    if (await repairBatch(table, batchId)) toRetry.push(batchId);
  }
  return { ...counts, batches_to_retry: toRetry };
}

async function* scanPages(client: Table['client'], scan: ScanCommandInput) {
  try {
    yield* paginateScan({ client }, scan);
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new CommandError(
      `--from: table ${scan.TableName} does not exist in this account and region`,
    );
  }
}
