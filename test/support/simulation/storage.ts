import type { Stores } from '../../../lambdas/adapters/dynamodb/stores.ts';
import type { BatchId } from '../../../lambdas/domain/identity.ts';

export interface Storage extends Stores {
  close(): Promise<void>;
}

export interface ObservedStorage extends Storage {
  readonly created: ReadonlySet<BatchId>;
  /** The number of times that `finish` returned `finished`, by batch. */
  readonly finishes: ReadonlyMap<BatchId, number>;
}

export function observeStorage(storage: Storage): ObservedStorage {
  const created = new Set<BatchId>();
  const finishes = new Map<BatchId, number>();
  return {
    ...storage,
    created,
    finishes,
    batches: {
      ...storage.batches,
      async create(batch, ...rest) {
        created.add(batch.batch_id);
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
