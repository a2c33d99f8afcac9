import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';

/** The position of a batch in its tenant's list; it never changes. */
export interface BatchPosition {
  readonly createdAt: Timestamp;
  readonly batchId: BatchId;
}

/** The times of creation of some batches; an absent bound does not limit. */
export interface CreatedBetween {
  /** Inclusive. */
  readonly from?: Timestamp;
  /** Exclusive; later than `from`. */
  readonly before?: Timestamp;
}

/** Port to the index of a tenant's batches. Its results are hints: an index lags behind its table. */
export interface BatchIndex {
  /**
   * The newest batches of that time after that position, or of all; fewer than `count` only at the end.
   * The order never changes.
   */
  newestAfter(
    tenant: string,
    created: CreatedBetween,
    after: BatchPosition | null,
    count: number,
  ): Promise<readonly BatchPosition[]>;
}
