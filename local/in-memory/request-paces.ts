import type { RequestPaces } from '../../lambdas/domain/admission/request-rate.ts';

/** The in-memory adapter of the port. */
export function inMemoryRequestPaces(): RequestPaces {
  const dues = new Map<string, number>();
  return {
    admit: async (tenant, { intervalMs, aheadMs }, now, weight) => {
      const due = Math.max(dues.get(tenant) ?? now, now);
      if (due > now + aheadMs) return { kind: 'refused', due };
      dues.set(tenant, due + weight * intervalMs);
      return { kind: 'admitted' };
    },
  };
}
