import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';

/** The position of a batch in its tenant's list; it never changes. */
export interface BatchPosition {
  readonly createdAt: Timestamp;
  readonly batchId: BatchId;
}

/** Port to the index of a tenant's batches. Its results are hints: an index lags behind its table. */
export interface BatchIndex {
  /**
   * The newest batches after that position, or of all; fewer than `count` only at the end. The order
   * never changes.
   */
  newestAfter(
    tenant: string,
    after: BatchPosition | null,
    count: number,
  ): Promise<readonly BatchPosition[]>;
}
