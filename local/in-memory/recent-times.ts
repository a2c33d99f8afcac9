import {
  type BatchTimes,
  type RecentTimes,
  withNewest,
} from '../../lambdas/domain/admission/batch-times.ts';

export function inMemoryRecentTimes(): RecentTimes {
  let recent: readonly BatchTimes[] = [];
  return {
    read: async () => recent,
    async add(times) {
      recent = withNewest(recent, times);
    },
  };
}
