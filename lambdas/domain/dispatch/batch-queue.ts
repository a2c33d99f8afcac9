import type { Batch } from '../batch/batch.ts';
import type { BatchId } from '../identity.ts';
import type { Transition } from '../transition.ts';

/** A tenant of whom batches wait, or waited a moment ago. */
export interface WaitingTenant {
  readonly tenant: string;
  /** The batch that joined last: whoever saw the line empty may close it only while this holds. */
  readonly latest: BatchId;
}

export interface WaitingBatch {
  readonly batchId: BatchId;
  readonly totalJobs: number;
}

/**
 * Port to the line of batches that found no slot: a line for each tenant, in order of creation, and
 * the list of tenants that have one. Whether a batch still waits is decided on its own item; a batch
 * may stand here that does not. Every read is strongly consistent.
 */
export interface BatchQueue {
  enqueue(
    batch: Pick<Batch, 'batchId' | 'tenant' | 'totalJobs' | 'resultsExpireAt'>,
  ): Promise<void>;
  remove(tenant: string, batchId: BatchId): Promise<void>;
  contains(tenant: string, batchId: BatchId): Promise<boolean>;
  readFirst(tenant: string, count: number): Promise<readonly WaitingBatch[]>;
  /** Tenants by name, from the first after that one on. */
  readTenants(after: string | null, count: number): Promise<readonly WaitingTenant[]>;
  /** Takes a tenant off the list whose line was empty, unless a batch joined since it was read. */
  removeTenant(tenant: WaitingTenant): Promise<Transition>;
  /** The tenant that had the last turn; null = nobody yet. A hint: nothing but the order hangs on it. */
  readLastServed(): Promise<string | null>;
  setLastServed(from: string | null, to: string): Promise<Transition>;
}
