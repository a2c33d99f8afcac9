import {
  type BatchTimes,
  type RecentTimes,
  withNewest,
} from '../../lambdas/domain/admission/batch-times.ts';
import { furthestOf, type RequestPaces } from '../../lambdas/domain/admission/request-rate.ts';

/** The port in memory. */
export function inMemoryRequestPaces(): RequestPaces {
  const dues = new Map<string, number>();
  return {
    take: async (tenant, pace, now, { weight, latest }) => {
      const stored = dues.get(tenant) ?? now;
      const due = stored <= now || stored > furthestOf(pace, now) ? now : stored;
      if (due > latest) return due;
      dues.set(tenant, due + weight * pace.intervalMs);
      return null;
    },
  };
}

export function inMemoryRecentTimes(): RecentTimes {
  let recent: readonly BatchTimes[] = [];
  return {
    read: async () => recent,
    async add(times) {
      recent = withNewest(recent, times);
    },
  };
}
