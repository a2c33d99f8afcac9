import * as z from 'zod/mini';
import {
  PATCH_BATCH_FAILURE_CODES,
  type PatchBatchRecord,
  type Plan,
  type PlannedBlock,
} from '../../domain/patch-batch/patch-batch.ts';
import type {
  PatchBatchOutcome,
  PatchBatchStore,
} from '../../domain/patch-batch/patch-batch-store.ts';
import { jobKey, jobPartition, patchBatchKey, planKey } from './keys.ts';
import { expiryOf, type Item, readItem, readRange, type Table } from './table.ts';
import { putOnCondition, transact } from './transition.ts';

export function dynamoPatchBatchStore(table: Table): PatchBatchStore {
  return {
    async writePlan(batchId, jobIndex, plan) {
      const key = planKey(batchId, jobIndex);
      const outcome = await putOnCondition(table, {
        Item: { ...key, ...planItem(plan), expires_at: await expiryOf(table, batchId) },
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      if (outcome === 'changed') return plan;
      const winner = await readItem(table, key);
      if (winner === null) throw new Error(`the plan of ${key.pk} has expired`);
      return planOf(winner);
    },

    async readPlan(batchId, jobIndex) {
      const item = await readItem(table, planKey(batchId, jobIndex));
      return item === null ? null : planOf(item);
    },

    async start(batchId, jobIndex, idx, at) {
      return transact(table, [
        jobRuns(table, batchId, jobIndex),
        {
          Update: {
            TableName: table.name,
            Key: patchBatchKey(batchId, jobIndex, idx),
            UpdateExpression: `SET #status = :processing, updated_at = :at, ${FIRST_WRITE}`,
            ConditionExpression: ABSENT_OR_PROCESSING,
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ':processing': 'processing',
              ':idx': idx,
              ':at': at,
              ':end': await expiryOf(table, batchId),
            },
          },
        },
      ]);
    },

    async complete(batchId, jobIndex, block, outcome, at) {
      return transact(table, [
        completion(table, batchId, jobIndex, block.idx, outcome, at),
        count(table, batchId, jobIndex, block, outcome, at),
      ]);
    },

    async fail(batchId, jobIndex, idx, { code, reason }, at) {
      return transact(table, [
        jobRuns(table, batchId, jobIndex),
        {
          Update: {
            TableName: table.name,
            Key: patchBatchKey(batchId, jobIndex, idx),
            UpdateExpression: `SET #status = :failed, failure_reason = :reason, failure_code = :code, updated_at = :at, ${FIRST_WRITE}`,
            ConditionExpression: ABSENT_OR_PROCESSING,
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ':failed': 'failed',
              ':processing': 'processing',
              ':reason': reason,
              ':code': code,
              ':idx': idx,
              ':at': at,
              ':end': await expiryOf(table, batchId),
            },
          },
        },
      ]);
    },

    async read(batchId, jobIndex, idx) {
      const item = await readItem(table, patchBatchKey(batchId, jobIndex, idx));
      return item === null ? null : recordOf(item);
    },

    async range(batchId, jobIndex, first, end) {
      if (first >= end) return [];
      const items = await readRange(
        table,
        jobPartition(batchId, jobIndex),
        patchBatchKey(batchId, jobIndex, first).sk,
        patchBatchKey(batchId, jobIndex, end - 1).sk,
      );
      return items.map(recordOf);
    },
  };
}

const ABSENT_OR_PROCESSING = 'attribute_not_exists(pk) OR #status = :processing';

/** What only the first write of an item sets. */
const FIRST_WRITE =
  'created_at = if_not_exists(created_at, :at), patch_batch_idx = :idx, expires_at = :end';

/** A late worker writes nothing of a job that has ended. */
function jobRuns(table: Table, batchId: string, jobIndex: number) {
  return {
    ConditionCheck: {
      TableName: table.name,
      Key: jobKey(batchId, jobIndex),
      ConditionExpression: '#status = :processing',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':processing': 'processing' },
    },
  };
}

function completion(
  table: Table,
  batchId: string,
  jobIndex: number,
  idx: number,
  outcome: PatchBatchOutcome,
  at: string,
) {
  return {
    Update: {
      TableName: table.name,
      Key: patchBatchKey(batchId, jobIndex, idx),
      UpdateExpression:
        'SET #status = :completed, predicted_point_count = :predicted, inference_duration_ms = :ms, updated_at = :at',
      ConditionExpression: '#status = :processing',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':completed': 'completed',
        ':processing': 'processing',
        ':predicted': outcome.predictedPoints,
        ':ms': outcome.inferenceDurationMs,
        ':at': at,
      },
    },
  };
}

function count(
  table: Table,
  batchId: string,
  jobIndex: number,
  block: PlannedBlock,
  { predictedPoints, inferenceDurationMs, isReused = false }: PatchBatchOutcome,
  at: string,
) {
  return {
    Update: {
      TableName: table.name,
      Key: jobKey(batchId, jobIndex),
      UpdateExpression:
        'SET updated_at = :at ADD completed_patch_batches :one, completed_points :points, predicted_points :predicted, prediction_ms :ms',
      ConditionExpression: '#status = :processing',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':processing': 'processing',
        ':one': 1,
        ':points': block.pointCount,
        ':predicted': predictedPoints,
        ':ms': isReused ? 0 : inferenceDurationMs,
        ':at': at,
      },
    },
  };
}

const int = z.int();

const planSchema = z.object({
  model: z.string(),
  window: z.object({ col: int, row: int, width: int, height: int }),
  rule: z.enum(['centre', 'touched']),
  block_tiles: int,
  /** idx, col, row, width, height, points: six numbers a block keep 400 of them under 16 KB. */
  blocks: z.array(z.tuple([int, int, int, int, int, int])),
});

function planItem({ model, window, rule, blockTiles, blocks }: Plan): z.infer<typeof planSchema> {
  return {
    model,
    window,
    rule,
    block_tiles: blockTiles,
    blocks: blocks.map((b) => [b.idx, b.col, b.row, b.width, b.height, b.pointCount]),
  };
}

function planOf(item: Item): Plan {
  const { block_tiles: blockTiles, blocks, ...plan } = planSchema.parse(item);
  return {
    ...plan,
    blockTiles,
    blocks: blocks.map(([idx, col, row, width, height, pointCount]) => ({
      idx,
      col,
      row,
      width,
      height,
      pointCount,
    })),
  };
}

const common = z.object({ patch_batch_idx: int, created_at: z.string(), updated_at: z.string() });
const state = z.discriminatedUnion('status', [
  z.object({ status: z.literal('processing') }),
  z.object({
    status: z.literal('completed'),
    predicted_point_count: int,
    inference_duration_ms: z.number(),
  }),
  z.object({
    status: z.literal('failed'),
    failure_reason: z.string(),
    failure_code: z.enum(PATCH_BATCH_FAILURE_CODES),
  }),
]);

function recordOf(item: Item): PatchBatchRecord {
  const { patch_batch_idx, created_at, updated_at } = common.parse(item);
  const times = { idx: patch_batch_idx, createdAt: created_at, updatedAt: updated_at };
  const outcome = state.parse(item);
  switch (outcome.status) {
    case 'processing':
      return { ...times, status: 'processing' };
    case 'completed':
      return {
        ...times,
        status: 'completed',
        predictedPoints: outcome.predicted_point_count,
        inferenceDurationMs: outcome.inference_duration_ms,
      };
    case 'failed':
      return {
        ...times,
        status: 'failed',
        failureReason: outcome.failure_reason,
        failureCode: outcome.failure_code,
      };
  }
}
