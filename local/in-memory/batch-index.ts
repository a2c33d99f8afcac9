import type { Batch, BatchIndex, BatchPosition } from '../../lambdas/domain/batch/batch.ts';

/** Newest first; equal times are ordered by id, as a sort key is. */
export function inMemoryBatchIndex(batches: () => readonly Batch[]): BatchIndex {
  return {
    async newestAfter(tenant, { from, before }, after, count) {
      return batches()
        .filter((batch) => batch.tenant === tenant)
        .map(({ createdAt, batchId }) => ({ createdAt, batchId }))
        .filter(({ createdAt }) => from === undefined || createdAt >= from)
        .filter(({ createdAt }) => before === undefined || createdAt < before)
        .filter((position) => after === null || inOrder(after, position) < 0)
        .sort(inOrder)
        .slice(0, count);
    },
  };
}

function inOrder(a: BatchPosition, b: BatchPosition): number {
  return b.createdAt.localeCompare(a.createdAt) || b.batchId.localeCompare(a.batchId);
}
