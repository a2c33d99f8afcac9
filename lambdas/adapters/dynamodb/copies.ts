import * as z from 'zod/mini';
import { type CopyStore, destinationFailure } from '../../domain/destination/destination.ts';
import { count, time } from '../../domain/wire.ts';
import { copiesKey } from './item-keys.ts';
import { readExpiry, readItem, type Table } from './table.ts';
import { updateOnCondition } from './transition.ts';

const copiesItem = z.object({
  copied_jobs: z.optional(z.set(count)),
  all_copied: z.optional(z.literal(true)),
  copy_failure: z.optional(destinationFailure),
  copy_requests: z.optional(count),
  requested_at: z.optional(time),
});

/** Stores items `BATCH#<batch>` / `COPIES`. */
export function dynamoCopyStore(table: Table): CopyStore {
  /** Provides the expiry for the expression, because any update may be the one that creates the item. */
  const update = async (batchId: string, expression: string, condition: string, values: object) =>
    updateOnCondition(table, {
      Key: copiesKey(batchId),
      UpdateExpression: expression,
      ConditionExpression: condition,
      ExpressionAttributeValues: { ...values, ':end': await readExpiry(table, batchId) },
    });
  return {
    async readCopies(batchId) {
      const item = await readItem(table, copiesKey(batchId));
      const stored = copiesItem.parse(item ?? {});
      return {
        copied: stored.copied_jobs ?? new Set(),
        complete: stored.all_copied ?? false,
        failure: stored.copy_failure ?? null,
        requests: stored.copy_requests ?? 0,
        requestedAt: stored.requested_at ?? null,
      };
    },

    recordCopy: (batchId, index) =>
      update(
        batchId,
        'SET expires_at = :end ADD copied_jobs :copied',
        'attribute_not_exists(all_copied)',
        { ':copied': new Set([index]) },
      ),

    recordCompletion: (batchId) =>
      update(
        batchId,
        'SET all_copied = :true, expires_at = :end',
        'attribute_not_exists(copy_failure)',
        {
          ':true': true,
        },
      ),

    recordFailure(batchId, failure, requests) {
      const unchanged = requestsUnchanged(requests);
      return update(
        batchId,
        'SET copy_failure = :failure, expires_at = :end',
        `attribute_not_exists(copy_failure) AND attribute_not_exists(all_copied) AND ${unchanged.condition}`,
        { ':failure': failure, ...unchanged.values },
      );
    },

    requestCopies(batchId, requests, at) {
      const unchanged = requestsUnchanged(requests);
      return update(
        batchId,
        'SET copy_requests = :next, requested_at = :at, expires_at = :end REMOVE copy_failure',
        `attribute_not_exists(all_copied) AND ${unchanged.condition}`,
        { ...unchanged.values, ':next': requests + 1, ':at': at },
      );
    },
  };
}

function requestsUnchanged(requests: number) {
  return requests === 0
    ? { condition: 'attribute_not_exists(copy_requests)', values: {} }
    : { condition: 'copy_requests = :requests', values: { ':requests': requests } };
}
