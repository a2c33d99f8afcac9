import type { Clock } from '../../../lambdas/domain/clock.ts';
import type { BatchId } from '../../../lambdas/domain/identity.ts';
import { inMemoryOutbox } from '../../../local/in-memory/outbox.ts';
import { inMemoryScanPositions } from '../../../local/in-memory/pages.ts';
import { inMemoryStores } from '../../../local/in-memory/stores.ts';
import type { Storage } from './storage.ts';

/** `stores-contract.ts` checks that it behaves as DynamoDB does. */
export function inMemoryStorage(clock: Clock): Storage {
  const stores = inMemoryStores(clock);
  const created = new Set<BatchId>();
  const outbox = inMemoryOutbox(
    (batchId) => stores.outbox.read(batchId),
    () => created,
  );
  return {
    ...stores,
    scanPositions: inMemoryScanPositions(),
    batches: {
      ...stores.batches,
      create: async (batch, ...rest) => {
        created.add(batch.batchId);
        return stores.batches.create(batch, ...rest);
      },
    },
    outbox,
    close: async () => undefined,
  };
}
