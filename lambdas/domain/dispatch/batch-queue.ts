import type { Batch, BatchRun } from '../batch/batch.ts';
import type { BatchId } from '../identity.ts';
import type { Transition } from '../transition.ts';

/** A tenant with queued batches, or with a queue that has just become empty. */
export interface WaitingTenant {
  readonly tenant: string;
  /** The batch queued last. An empty queue is removed only if this has not changed. */
  readonly latest: BatchId;
}

/**
 * Port to the queue of batches that wait for a slot: one queue per tenant, in order of creation, and the list of
 * tenants with a queue. The batch item decides whether a batch still waits, so an entry here may be stale. Reads are
 * strongly consistent.
 */
export interface BatchQueue {
  enqueue(
    batch: Pick<Batch, 'batch_id' | 'tenant' | 'total_jobs' | 'destination' | 'results_expire_at'>,
  ): Promise<void>;
  remove(tenant: string, batchId: BatchId): Promise<void>;
  contains(tenant: string, batchId: BatchId): Promise<boolean>;
  readFirst(tenant: string, count: number): Promise<readonly BatchRun[]>;
  /** Lists tenants by name, starting after this one. */
  readTenants(after: string | null, count: number): Promise<readonly WaitingTenant[]>;
  /** Removes a tenant with an empty queue from the list, unless a batch was queued since it was read. */
  removeTenant(tenant: WaitingTenant): Promise<Transition>;
  /** Reads the tenant served last; null if there is none yet. It is a hint that affects only the order. */
  readLastServed(): Promise<string | null>;
  setLastServed(from: string | null, to: string): Promise<Transition>;
}
