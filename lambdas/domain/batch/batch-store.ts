import type { Charge, CreationOutcome, Refund } from '../admission/charge.ts';
import type { Timestamp } from '../clock.ts';
import type { OutboxEvent } from '../delivery/outbox.ts';
import type { BatchId } from '../identity.ts';
import type { ScanPage, ScanPosition } from '../reconcile/index-scan.ts';
import type { Transition } from '../transition.ts';
import type { Batch, FinalBatchStatus } from './batch.ts';

/** Port to the batch items. Every read is strongly consistent. */
export interface BatchStore {
  /**
   * Makes the batch and its metadata visible in one transaction together with what it claims of
   * its tenant's quota and idempotency keys, or changes nothing at all.
   */
  create(batch: Batch, metadata: string | null, claim?: Charge): Promise<CreationOutcome>;
  read(batchId: BatchId): Promise<Batch | null>;
  /** The exact JSON text the client sent, or null when it sent none. */
  readMetadata(batchId: BatchId): Promise<string | null>;
  /** pending → processing; changes nothing in any other state. */
  start(batchId: BatchId, at: Timestamp): Promise<void>;
  /** Asks an unfinished batch to be cancelled; asked again, the first time stays. */
  requestCancel(batchId: BatchId, at: Timestamp): Promise<Transition>;
  /**
   * Settles which batch retries this one: the candidate when none was settled on before.
   * @returns the one that holds from now on
   */
  claimRetry(batchId: BatchId, candidate: BatchId): Promise<BatchId>;
  /** Counts one more restart of an unfinished, not cancelled batch that was restarted so often. */
  claimRestart(batchId: BatchId, restarts: number, at: Timestamp): Promise<Transition>;
  /**
   * pending or processing → final, the outbox item, what goes back to the tenant's quota, and the
   * batch's slot for another, in one transaction: no batch finishes without its event, no event
   * exists for one that did not finish, and nothing is given back twice.
   */
  finish(
    batchId: BatchId,
    outcome: { readonly status: FinalBatchStatus; readonly completedAt: Timestamp },
    event: OutboxEvent | null,
    refund?: Refund | null,
  ): Promise<'finished' | 'already-final'>;
  /**
   * Unfinished batches created from the one time on and before the other, behind that place: hints of
   * an eventually consistent index.
   */
  unfinished(
    created: { readonly from?: Timestamp; readonly before: Timestamp },
    after: ScanPosition | null,
  ): AsyncIterable<ScanPage<BatchId>>;
}

/**
 * Port to whatever runs a batch: the Step Functions execution named by its id, and by the count of
 * its restarts when there were any.
 */
export interface BatchRunner {
  /** Starts the run; success too when it already runs or has ended. */
  start(batchId: BatchId, totalJobs: number, restarts?: number): Promise<void>;
  state(batchId: BatchId, restarts?: number): Promise<'absent' | 'running' | 'ended'>;
  /** Success too when there is no such run or it has ended. */
  stop(batchId: BatchId, restarts: number, cause: string): Promise<void>;
}
