import * as z from 'zod/mini';
import {
  type Batch,
  type BatchStore,
  batchEnd,
  batchRecord,
  type FinalOutcome,
  isFinal,
} from '../../domain/batch/batch.ts';
import { TransientFailure } from '../../domain/step-failure.ts';
import type { ViewOf } from '../../domain/wire.ts';
import { busEventPut } from './bus-outbox.ts';
import { chargeWrites, refundWrites } from './charges.ts';
import { afterPrefix, batchKey, metadataKey, PREFIX, retryKey, shardOf } from './item-keys.ts';
import { outboxPut } from './outbox.ts';
import { slotReleases, slotUnchanged } from './slots.ts';
import { readPages, type SparseIndex } from './sparse-index.ts';
import { epochSeconds, type Item, readExpiry, readItem, readItems, type Table } from './table.ts';
import {
  putOnCondition,
  type RetryPolicy,
  setAttributes,
  transact,
  transactWithFailures,
  updateOnCondition,
  type Write,
} from './transition.ts';

/** The write that finishes a batch removes it from this index. */
const UNFINISHED: SparseIndex = {
  name: 'unfinished',
  shard: 'unfinished_shard',
  time: 'created_at',
};

/**
 * The creations of one tenant on one day update the same quota item. On average, the waits add up to half of API
 * Gateway's limit of 29 s.
 */
const CREATION_RETRIES: RetryPolicy = { attempts: 24, baseMs: 25, capMs: 1_500 };

/**
 * Each of these may cost one attempt: the batch gets its slot after it was read, another batch holds the slot, or the
 * bounded part of the refund exceeds the daily bound.
 */
const FINISH_ATTEMPTS = 4;

const UNFINISHED_STATUS = '#status IN (:pending, :processing)';
const UNFINISHED_VALUES = { ':pending': 'pending', ':processing': 'processing' } as const;

export function dynamoBatchStore(table: Table): BatchStore {
  return {
    async create(batch, metadata, charge) {
      const charges = charge === undefined ? [] : chargeWrites(table, batch, charge);
      const writes = [
        ...charges.map(({ write }) => write),
        ...creationPut(table, batch, metadata),
        ...retryUnchangedCheck(table, batch),
      ];
      const outcome = await transactWithFailures(table, writes, CREATION_RETRIES);
      if (outcome.kind === 'changed') return 'created';
      const refusals = outcome.failed.flatMap((position) => charges[position]?.refusal ?? []);
      // A repeated creation counts as a repeat even if the quota is used up.
      if (refusals.includes('key-taken')) return 'key-taken';
      if (refusals.includes('over-quota')) return 'over-quota';
      if (batch.retry_of !== undefined && outcome.failed.includes(writes.length - 1)) {
        throw new TransientFailure(`another retry of batch ${batch.retry_of} replaced this one`);
      }
      throw new Error(`batch ${batch.batch_id} already exists`);
    },

    async readBatch(batchId) {
      const item = await readItem(table, batchKey(batchId));
      return item === null ? null : batchRecord.parse(item);
    },

    async readBatches(batchIds) {
      const items = await readItems(table, batchIds.map(batchKey));
      return items.map((item) => (item === null ? null : batchRecord.parse(item)));
    },

    async readMetadata(batchId) {
      return metadataText(await readItem(table, metadataKey(batchId)));
    },

    async readAllMetadata(batchIds) {
      return (await readItems(table, batchIds.map(metadataKey))).map(metadataText);
    },

    async start(batchId, at) {
      await updateOnCondition(table, {
        Key: batchKey(batchId),
        UpdateExpression: 'SET #status = :processing, started_at = :at, updated_at = :at',
        ConditionExpression: '#status = :pending',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':processing': 'processing',
          ':pending': 'pending',
          ':at': at,
        },
      });
    },

    requestCancel(batchId, at) {
      return updateOnCondition(table, {
        Key: batchKey(batchId),
        UpdateExpression:
          'SET cancel_requested_at = if_not_exists(cancel_requested_at, :at), updated_at = :at',
        ConditionExpression: UNFINISHED_STATUS,
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ...UNFINISHED_VALUES, ':at': at },
      });
    },

    async claimRetry(batchId, claim, abandoned) {
      const key = retryKey(batchId);
      const Item = {
        ...key,
        retry_id: claim.batchId,
        ...(claim.jobs === null ? {} : { jobs: claim.jobs }),
        expires_at: await readExpiry(table, batchId),
      };
      const claimed =
        abandoned === undefined
          ? await putOnCondition(table, { Item, ConditionExpression: 'attribute_not_exists(pk)' })
          : await transact(table, replaceRetryPut(table, Item, abandoned));
      if (claimed === 'changed') return claim;
      const { retry_id, jobs = null } = retryItem.parse(await readItem(table, key));
      return { batchId: retry_id, jobs };
    },

    claimRestart(batchId, restarts, at) {
      const count = restarts === 0 ? 'attribute_not_exists(restarts)' : 'restarts = :restarts';
      return updateOnCondition(table, {
        Key: batchKey(batchId),
        UpdateExpression: 'SET restarts = :next, updated_at = :at',
        ConditionExpression: `${UNFINISHED_STATUS} AND attribute_not_exists(cancel_requested_at) AND ${count}`,
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ...UNFINISHED_VALUES,
          ...(restarts === 0 ? {} : { ':restarts': restarts }),
          ':next': restarts + 1,
          ':at': at,
        },
      });
    },

    async finish(batchId, outcome, event, refund = null) {
      const { busEvent } = outcome;
      const isSilent = event === null && busEvent === undefined;
      const end = isSilent ? 0 : await readExpiry(table, batchId);
      let releasing = true;
      let crediting = true;
      for (let attempt = 0; attempt < FINISH_ATTEMPTS; attempt++) {
        const item = await readItem(table, batchKey(batchId));
        if (item === null || item['unfinished_shard'] === undefined) return 'already-final';
        const writes: Readonly<Record<'finish' | 'refund' | 'release', readonly Write[]>> = {
          finish: [
            finishUpdate(table, item, outcome),
            ...(event === null ? [] : [outboxPut(table, event, end)]),
            ...(busEvent === undefined ? [] : [busEventPut(table, busEvent, end)]),
          ],
          refund: refund === null ? [] : refundWrites(table, refund, crediting),
          release: releasing ? slotReleases(table, item) : [],
        };
        const written = await transactWithFailures(table, Object.values(writes).flat());
        if (written.kind === 'changed') return 'finished';
        // The batch must finish even if another batch holds its slots or its refund exceeds the bound. A failed release
        // is left out of the next attempt only, because each attempt reads the slots again.
        const roles = Object.entries(writes).flatMap(([role, ofRole]) => ofRole.map(() => role));
        const failed = written.failed.map((position) => roles[position]);
        releasing = !failed.includes('release');
        crediting &&= !failed.includes('refund');
      }
      throw new TransientFailure(
        `batch ${batchId} or its slots changed during every attempt to finish it`,
      );
    },

    async *unfinished(span, after) {
      for await (const { hints, position } of readPages(table, UNFINISHED, span, after)) {
        const keys = z.array(hintItem).parse(hints);
        yield { hints: keys.map(({ pk: batchId }) => batchId), position };
      }
    },
  };
}

function metadataText(item: Item | null): string | null {
  return item === null ? null : z.string().parse(item['text']);
}

function finishUpdate(table: Table, item: Item, outcome: FinalOutcome) {
  const slot = slotUnchanged(item);
  return {
    Update: {
      TableName: table.name,
      Key: { pk: item['pk'], sk: item['sk'] },
      ...finalAttributes(outcome, { ...UNFINISHED_VALUES, ...slot.values }),
      ConditionExpression: `${UNFINISHED_STATUS} AND ${slot.condition}`,
    },
  };
}

export function finalAttributes(end: ViewOf<typeof batchEnd>, ofCondition: Item) {
  const update = setAttributes(batchEnd.parse(end), ofCondition);
  const removed = 'unfinished_shard, slot, tenant_slot';
  return { ...update, UpdateExpression: `${update.UpdateExpression} REMOVE ${removed}` };
}

/** Without the item's key and TTL. */
export function batchItem(batch: Batch): Item {
  const item = batchRecord.parse(batch);
  return isFinal(batch) ? item : { ...item, unfinished_shard: shardOf(batch.batch_id) };
}

function creationPut(table: Table, batch: Batch, metadata: string | null) {
  const expires_at = epochSeconds(batch.results_expire_at);
  const ConditionExpression = 'attribute_not_exists(pk)';
  const item = { ...batchKey(batch.batch_id), ...batchItem(batch), expires_at };
  const text = { ...metadataKey(batch.batch_id), text: metadata, expires_at };
  return [
    { Put: { TableName: table.name, Item: item, ConditionExpression } },
    ...(metadata === null
      ? []
      : [{ Put: { TableName: table.name, Item: text, ConditionExpression } }]),
  ];
}

function retryUnchangedCheck(table: Table, { batch_id, retry_of }: Batch) {
  if (retry_of === undefined) return [];
  return [
    {
      ConditionCheck: {
        TableName: table.name,
        Key: retryKey(retry_of),
        ConditionExpression: 'attribute_not_exists(pk) OR retry_id = :id',
        ExpressionAttributeValues: { ':id': batch_id },
      },
    },
  ];
}

/**
 * Replaces the recorded retry unless it has been created. The creation of a retry checks that the retry is still
 * recorded, so either the creation or the replacement fails.
 */
function replaceRetryPut(table: Table, item: Item, abandoned: string) {
  return [
    {
      Put: {
        TableName: table.name,
        Item: item,
        ConditionExpression: 'attribute_not_exists(pk) OR retry_id = :abandoned',
        ExpressionAttributeValues: { ':abandoned': abandoned },
      },
    },
    {
      ConditionCheck: {
        TableName: table.name,
        Key: batchKey(abandoned),
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
  ];
}

/** A retry without `jobs` retries every failed job. */
const retryItem = z.object({ retry_id: z.string(), jobs: z.optional(z.array(z.int())) });

const hintItem = z.object({ pk: afterPrefix(PREFIX.batch) });
