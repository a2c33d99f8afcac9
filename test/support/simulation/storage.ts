import type { IdempotencyKeys } from '../../../lambdas/domain/admission/idempotency.ts';
import type { Quotas } from '../../../lambdas/domain/admission/quota.ts';
import type { BatchStore } from '../../../lambdas/domain/batch/batch.ts';
import type { BusOutbox } from '../../../lambdas/domain/delivery/bus-outbox.ts';
import type { DeliveryLog, OutboxStore } from '../../../lambdas/domain/delivery/outbox.ts';
import type { Redeliveries } from '../../../lambdas/domain/delivery/redelivery.ts';
import type { BatchQueue } from '../../../lambdas/domain/dispatch/batch-queue.ts';
import type { Slots } from '../../../lambdas/domain/dispatch/slots.ts';
import type { BatchId } from '../../../lambdas/domain/identity.ts';
import type { JobStore } from '../../../lambdas/domain/job/job.ts';
import type { PatchBatchStore } from '../../../lambdas/domain/patch-batch/patch-batch.ts';
import type { ScanPositions } from '../../../lambdas/domain/reconcile/index-scan.ts';

/** The stores of a world: in memory or in DynamoDB. */
export interface Storage {
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly patchBatches: PatchBatchStore;
  readonly outbox: OutboxStore & Redeliveries & DeliveryLog;
  readonly busOutbox: BusOutbox;
  readonly quotas: Quotas;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly slots: Slots;
  readonly batchQueue: BatchQueue;
  readonly scanPositions: ScanPositions;
  close(): Promise<void>;
}

/** A storage that records which batches were created and finished. */
export interface ObservedStorage extends Storage {
  readonly created: ReadonlySet<BatchId>;
  /** How often `finish` returned `finished`. */
  readonly finishes: ReadonlyMap<BatchId, number>;
}

export function observed(storage: Storage): ObservedStorage {
  const created = new Set<BatchId>();
  const finishes = new Map<BatchId, number>();
  return {
    ...storage,
    created,
    finishes,
    batches: {
      ...storage.batches,
      async create(batch, ...rest) {
        created.add(batch.batchId);
        return storage.batches.create(batch, ...rest);
      },
      async finish(batchId, ...rest) {
        const outcome = await storage.batches.finish(batchId, ...rest);
        if (outcome === 'finished') finishes.set(batchId, (finishes.get(batchId) ?? 0) + 1);
        return outcome;
      },
    },
  };
}
