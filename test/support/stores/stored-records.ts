import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { toItem } from '../../../lambdas/adapters/dynamodb/batch-item.ts';
import {
  batchKey,
  jobKey,
  type Key,
  metadataKey,
  patchBatchKey,
  planKey,
} from '../../../lambdas/adapters/dynamodb/item-keys.ts';
import { planItem } from '../../../lambdas/adapters/dynamodb/patch-batch-item.ts';
import { epochSeconds, type Item, type Table } from '../../../lambdas/adapters/dynamodb/table.ts';
import type { Batch } from '../../../lambdas/domain/batch/batch.ts';
import type { BatchId } from '../../../lambdas/domain/identity.ts';
import type { JobRecord } from '../../../lambdas/domain/job/job.ts';
import type { PatchBatchRecord, Plan } from '../../../lambdas/domain/patch-batch/patch-batch.ts';

/**
 * Items as the stores would leave them behind, for tests of what is read: a store reaches a state only step by
 * step. They replace what is stored.
 */
export function storedRecords(table: Table) {
  const store = async (key: Key, attributes: Item): Promise<void> => {
    const Item = { expires_at: FAR, ...attributes, ...key };
    const writes = [{ Put: { TableName: table.name, Item } }];
    await table.client.send(new TransactWriteCommand({ TransactItems: writes }));
  };
  return {
    async storeBatch(batch: Batch, metadata: string | null = null): Promise<void> {
      const expires_at = epochSeconds(batch.resultsExpireAt);
      await store(batchKey(batch.batchId), { ...batchAttributes(batch), expires_at });
      if (metadata !== null) {
        await store(metadataKey(batch.batchId), { text: metadata, expires_at });
      }
    },
    storeJob: (batchId: BatchId, record: JobRecord) =>
      store(jobKey(batchId, record.index), jobAttributes(record)),
    storePlan: (batchId: BatchId, jobIndex: number, plan: Plan) =>
      store(planKey(batchId, jobIndex), planItem(plan)),
    storePatchBatch: (batchId: BatchId, jobIndex: number, record: PatchBatchRecord) =>
      store(patchBatchKey(batchId, jobIndex, record.idx), patchBatchAttributes(record)),
  };
}

/** After every test's clock. */
const FAR = epochSeconds('2100-01-01T00:00:00.000Z');

function batchAttributes(batch: Batch): Item {
  const { slot, slotClaimedAt, restarts, cancelRequestedAt } = batch;
  return {
    ...toItem(batch),
    slot: slot?.ofAll,
    tenant_slot: slot?.ofTenant,
    slot_claimed_at: slotClaimedAt,
    restarts,
    cancel_requested_at: cancelRequestedAt,
  };
}

function jobAttributes(record: JobRecord): Item {
  const { index, state, updatedAt, model, warnings, progress, use, result, uploads } = record;
  return {
    job_index: index,
    status: state.status,
    completed_at: 'completedAt' in state ? state.completedAt : undefined,
    error: 'error' in state ? state.error : undefined,
    updated_at: updatedAt,
    uploads,
    summary: record.summary,
    raster_bytes: result?.bytes,
    raster_etag: result?.etag,
    ...(model === null
      ? {}
      : {
          model: { ...modelAttributes(model) },
          warnings,
          total_patch_batches: progress?.totalPatchBatches ?? 0,
          completed_patch_batches: progress?.completedPatchBatches ?? 0,
          point_count: progress?.pointCount ?? 0,
          completed_points: progress?.completedPoints ?? 0,
          predicted_points: progress?.predictedPoints ?? 0,
          shares: use?.shares ?? 1,
          prediction_ms: use?.predictionMs ?? 0,
        }),
  };
}

function modelAttributes({ dataPeriod, ...model }: NonNullable<JobRecord['model']>): Item {
  return { ...model, data_period: dataPeriod };
}

function patchBatchAttributes(record: PatchBatchRecord): Item {
  return {
    patch_batch_idx: record.idx,
    status: record.status,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    ...(record.status === 'completed'
      ? {
          predicted_point_count: record.predictedPoints,
          inference_duration_ms: record.inferenceDurationMs,
        }
      : {}),
    ...(record.status === 'failed'
      ? { failure_reason: record.failureReason, failure_code: record.failureCode }
      : {}),
  };
}
