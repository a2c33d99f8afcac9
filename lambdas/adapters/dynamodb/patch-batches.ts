import type { PlannedBlock } from '#engine/raster/grid/plan.ts';
import {
  blockFigures,
  type PatchBatchOutcome,
  type PatchBatchStore,
  patchBatchRecord,
} from '../../domain/patch-batch/patch-batch.ts';
import type { Transition } from '../../domain/transition.ts';
import { jobKey, jobPartition, patchBatchKey, planKey } from './item-keys.ts';
import { parsePlan, planItem } from './plan-item.ts';
import { type Item, readExpiry, readItem, readRange, type Table } from './table.ts';
import { putOnCondition, setAttributes, transact } from './transition.ts';

export function dynamoPatchBatchStore(table: Table): PatchBatchStore {
  return {
    async writePlan(batchId, jobIndex, plan) {
      const key = planKey(batchId, jobIndex);
      const outcome = await putOnCondition(table, {
        Item: { ...key, ...planItem(plan), expires_at: await readExpiry(table, batchId) },
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      if (outcome === 'changed') return plan;
      const winner = await readItem(table, key);
      if (winner === null) throw new Error(`the plan of ${key.pk} has expired`);
      return parsePlan(winner);
    },

    async readPlan(batchId, jobIndex) {
      const item = await readItem(table, planKey(batchId, jobIndex));
      return item === null ? null : parsePlan(item);
    },

    start(batchId, jobIndex, idx, at) {
      const started = { status: 'processing', updated_at: at };
      return writeUnlessFinal(table, batchId, jobIndex, idx, started);
    },

    async complete(batchId, jobIndex, block, outcome, at) {
      return transact(table, [
        completionUpdate(table, batchId, jobIndex, block.idx, outcome, at),
        counterUpdate(table, batchId, jobIndex, block, outcome, at),
      ]);
    },

    fail(batchId, jobIndex, idx, { code, reason }, at) {
      const failed = {
        status: 'failed',
        failure_reason: reason,
        failure_code: code,
        updated_at: at,
      };
      return writeUnlessFinal(table, batchId, jobIndex, idx, failed);
    },

    async readPatchBatch(batchId, jobIndex, idx) {
      const item = await readItem(table, patchBatchKey(batchId, jobIndex, idx));
      return item === null ? null : patchBatchRecord.parse(item);
    },

    async listPatchBatches(batchId, jobIndex, first, end) {
      if (first >= end) return [];
      const items = await readRange(
        table,
        jobPartition(batchId, jobIndex),
        patchBatchKey(batchId, jobIndex, first).sk,
        patchBatchKey(batchId, jobIndex, end - 1).sk,
      );
      return items.map((item) => patchBatchRecord.parse(item));
    },
  };
}

/** The first write sets `created_at`. */
async function writeUnlessFinal(
  table: Table,
  batchId: string,
  jobIndex: number,
  idx: number,
  state: Item & { readonly updated_at: string },
): Promise<Transition> {
  const expiry = await readExpiry(table, batchId);
  const attributes = { ...state, patch_batch_idx: idx, expires_at: expiry };
  const update = setAttributes(attributes, { ':processing': 'processing' });
  return transact(table, [
    jobRunsCheck(table, batchId, jobIndex),
    {
      Update: {
        TableName: table.name,
        Key: patchBatchKey(batchId, jobIndex, idx),
        ...update,
        UpdateExpression: `${update.UpdateExpression}, created_at = if_not_exists(created_at, :updated_at)`,
        ConditionExpression: 'attribute_not_exists(pk) OR #status = :processing',
      },
    },
  ]);
}

/** Prevents a late worker from writing to an ended job. */
function jobRunsCheck(table: Table, batchId: string, jobIndex: number) {
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

function completionUpdate(
  table: Table,
  batchId: string,
  jobIndex: number,
  idx: number,
  outcome: PatchBatchOutcome,
  at: string,
) {
  const completed = { status: 'completed', updated_at: at, ...blockFigures.parse(outcome) };
  return {
    Update: {
      TableName: table.name,
      Key: patchBatchKey(batchId, jobIndex, idx),
      ...setAttributes(completed, { ':processing': 'processing' }),
      ConditionExpression: '#status = :processing',
    },
  };
}

function counterUpdate(
  table: Table,
  batchId: string,
  jobIndex: number,
  block: PlannedBlock,
  { predicted_point_count, inference_duration_ms, isReused = false }: PatchBatchOutcome,
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
        ':predicted': predicted_point_count,
        ':ms': isReused ? 0 : inference_duration_ms,
        ':at': at,
      },
    },
  };
}
