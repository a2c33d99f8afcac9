import type { Charge, CreationOutcome, Refund } from '../admission/quota.ts';
import type { Timestamp } from '../clock.ts';
import type { OutboxEvent } from '../delivery/outbox.ts';
import type { BatchId } from '../identity.ts';
import type { ScanPage, ScanPosition } from '../reconcile/index-scan.ts';
import type { Transition } from '../transition.ts';
import type { Batch, FinalBatchStatus } from './batch.ts';
import type { RetryClaim } from './retry-selection.ts';

/** Port to the batch items. Reads are strongly consistent. */
export interface BatchStore {
  /**
   * Writes the batch, its metadata, the charge and the idempotency key in one transaction, or nothing.
   * @throws TransientFailure if the batch is a retry that another replaced
   */
  create(batch: Batch, metadata: string | null, charge?: Charge): Promise<CreationOutcome>;
  read(batchId: BatchId): Promise<Batch | null>;
  /** The exact JSON text that the client sent, or null. */
  readMetadata(batchId: BatchId): Promise<string | null>;
  /** pending → processing; no effect in any other state. */
  start(batchId: BatchId, at: Timestamp): Promise<void>;
  /** Requests the cancellation of an unfinished batch; the time of the first request is kept. */
  requestCancel(batchId: BatchId, at: Timestamp): Promise<Transition>;
  /**
   * Records which batch retries which jobs of this one, unless a retry is recorded already.
   * @param abandoned a recorded retry that is replaced, because it was never created
   * @returns the recorded retry
   */
  claimRetry(batchId: BatchId, claim: RetryClaim, abandoned?: BatchId): Promise<RetryClaim>;
  /** Counts one more restart, on condition that the batch is unfinished, not cancelled and has this count. */
  claimRestart(batchId: BatchId, restarts: number, at: Timestamp): Promise<Transition>;
  /**
   * pending or processing → final, together with the outbox item, the refund and the release of the
   * slot in one transaction: a batch finishes with its event, and a refund is made once. Its part for
   * cancelled jobs is left out if it exceeds the day's limit.
   */
  finish(
    batchId: BatchId,
    outcome: { readonly status: FinalBatchStatus; readonly completedAt: Timestamp },
    event: OutboxEvent | null,
    refund?: Refund | null,
  ): Promise<'finished' | 'already-final'>;
  /**
   * Unfinished batches created in this period, after that position: hints from an eventually consistent
   * index.
   */
  unfinished(
    created: { readonly from?: Timestamp; readonly before: Timestamp },
    after: ScanPosition | null,
  ): AsyncIterable<ScanPage<BatchId>>;
}

/**
 * Port to the runs of batches: Step Functions executions named by the batch id and, after a restart,
 * the number of restarts.
 */
export interface BatchRunner {
  /** Starts the run. Succeeds also if it already runs or has ended. */
  start(batchId: BatchId, totalJobs: number, restarts?: number): Promise<void>;
  state(batchId: BatchId, restarts?: number): Promise<'absent' | 'running' | 'ended'>;
  /** Succeeds also if there is no such run or it has ended. */
  stop(batchId: BatchId, restarts: number, cause: string): Promise<void>;
}

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
