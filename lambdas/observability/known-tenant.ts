import type { BatchStore } from '../domain/batch/batch-store.ts';

/** The tenant of a batch; undefined if the function has not read the batch. */
export type KnownTenant = (batchId: string) => string | undefined;

/**
 * Keeps the tenant of the batch that was read last, for the function's log line. A function works on one
 * batch at a time, and another read for the log line would cost money.
 */
export function observeTenants<Store extends Pick<BatchStore, 'read'>>(
  batches: Store,
): { readonly batches: Store; readonly knownTenant: KnownTenant } {
  let last: { readonly batchId: string; readonly tenant: string } | undefined;
  return {
    batches: {
      ...batches,
      async read(batchId) {
        const batch = await batches.read(batchId);
        if (batch !== null) last = { batchId, tenant: batch.tenant };
        return batch;
      },
    },
    knownTenant: (batchId) => (last?.batchId === batchId ? last.tenant : undefined),
  };
}
