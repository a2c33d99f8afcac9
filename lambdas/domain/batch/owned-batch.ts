import { type Clock, timestamp } from '../clock.ts';
import { isBatchId } from '../identity.ts';
import type { Batch } from './batch.ts';
import type { BatchStore } from './batch-store.ts';

/**
 * The tenant's batch. Null for an invalid id, an unknown batch, another tenant's batch and an expired
 * one: the caller cannot distinguish them.
 */
export async function ownedBatch(
  ports: { readonly batches: Pick<BatchStore, 'read'>; readonly clock: Clock },
  tenant: string,
  batchId: string,
): Promise<Batch | null> {
  if (!isBatchId(batchId)) return null;
  const batch = await ports.batches.read(batchId);
  if (batch === null || batch.tenant !== tenant) return null;
  return batch.resultsExpireAt > timestamp(ports.clock()) ? batch : null;
}
