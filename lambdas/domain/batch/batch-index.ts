import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';

/** Where a batch stands among its tenant's; never changes. */
export interface BatchPosition {
  readonly createdAt: Timestamp;
  readonly batchId: BatchId;
}

/** Port to the index of a tenant's batches: hints, for an index is behind its table. */
export interface BatchIndex {
  /**
   * The newest batches that stand after that place, or of all; fewer than `count` at the end only.
   * The order is one and the same at every call, whatever becomes of the batches.
   */
  newestAfter(
    tenant: string,
    after: BatchPosition | null,
    count: number,
  ): Promise<readonly BatchPosition[]>;
}
