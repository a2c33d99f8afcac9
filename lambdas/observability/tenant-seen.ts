import type { BatchStore } from '../domain/batch/batch-store.ts';

/** Whose a batch is, as far as a function has come to know it. */
export type TenantSeen = (batchId: string) => string | undefined;

/**
 * Remembers the tenant of the batch that was read last, for the function's line in the log: it works
 * on one at a time, and a read for the line alone would be paid for.
 */
export function seeingTenants<Store extends Pick<BatchStore, 'read'>>(
  batches: Store,
): { readonly batches: Store; readonly tenantSeen: TenantSeen } {
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
    tenantSeen: (batchId) => (last?.batchId === batchId ? last.tenant : undefined),
  };
}
