import type { Charge, CreationOutcome, Refund } from '../admission/quota.ts';
import type { Timestamp } from '../clock.ts';
import type { BusEvent } from '../delivery/bus-outbox.ts';
import type { OutboxEvent } from '../delivery/outbox.ts';
import type { Slot } from '../dispatch/slots.ts';
import type { BatchId } from '../identity.ts';
import type { ScanPage, ScanPosition } from '../reconcile/index-scan.ts';
import type { Transition } from '../transition.ts';
import type { RetryClaim } from './retry-selection.ts';

const FINAL_BATCH_STATUSES = ['completed', 'failed', 'partial'] as const;
export type FinalBatchStatus = (typeof FINAL_BATCH_STATUSES)[number];
export const BATCH_STATUSES = ['pending', 'processing', ...FINAL_BATCH_STATUSES] as const;

export type BatchState =
  | { readonly status: 'pending' }
  | { readonly status: 'processing'; readonly startedAt: Timestamp }
  | {
      readonly status: FinalBatchStatus;
      /** It is null if no job was ever planned. */
      readonly startedAt: Timestamp | null;
      readonly completedAt: Timestamp;
      /** The others failed. */
      readonly completedJobs: number;
    };

export interface Webhook {
  readonly url: string;
  /** KMS ciphertext (base64) under the context {tenant, batch_id}; null = delivered unsigned. */
  readonly secretCiphertext: string | null;
  /**
   * The batch id in the encryption context, if it is another batch: a retry keeps its original's
   * ciphertext.
   */
  readonly sealedFor?: BatchId;
  /** Whether the body lists the jobs; clients with large batches may choose `none`. */
  readonly jobs: 'full' | 'none';
}

/** A batch as stored. Small, because every transition writes it. */
export interface Batch {
  readonly batchId: BatchId;
  readonly tenant: string;
  /** The name that the client gave; absent if it gave none. */
  readonly name?: string;
  readonly totalJobs: number;
  /** Model requested for the whole batch, `id` or `id@version`. */
  readonly model: string | null;
  readonly webhook: Webhook | null;
  /** The area limit per job when the batch was created, in hectares. */
  readonly hectaresPerJob: number;
  readonly createdAt: Timestamp;
  /** The last change of the batch; once it is final, of its jobs, too. */
  readonly updatedAt: Timestamp;
  /** From this time on, requests for the batch return 404 (`results_expire_at`). */
  readonly resultsExpireAt: Timestamp;
  readonly state: BatchState;
  /** When its cancellation was requested; absent = not requested. */
  readonly cancelRequestedAt?: Timestamp;
  /** The batch whose failed jobs this one retries; absent if it is not a retry. */
  readonly retryOf?: BatchId;
  /** How often its run was restarted; absent = never. */
  readonly restarts?: number;
  /** Its slot, until it is final; an unfinished batch without one waits in the queue. */
  readonly slot?: Slot;
  /** When it got its slot; absent until then. */
  readonly slotClaimedAt?: Timestamp;
}

export function isFinal(state: BatchState): state is Extract<BatchState, { completedAt: string }> {
  return state.status !== 'pending' && state.status !== 'processing';
}

/** All jobs completed, all failed, or a mix. */
export function decideFinalStatus(counts: { completed: number; failed: number }): FinalBatchStatus {
  if (counts.failed === 0) return 'completed';
  return counts.completed === 0 ? 'failed' : 'partial';
}

/** Accepted, but without a slot. */
export function isWaiting({ state, slot }: Batch): boolean {
  return state.status === 'pending' && slot === undefined;
}

/** The time since which the batch has been running. */
export function runsSince({ slotClaimedAt, createdAt }: Batch): Timestamp {
  return slotClaimedAt ?? createdAt;
}

export interface FinalOutcome {
  readonly status: FinalBatchStatus;
  readonly completedAt: Timestamp;
  readonly completedJobs: number;
  readonly updatedAt: Timestamp;
  /** The event for the operator's bus; absent if the stage has none. */
  readonly busEvent?: BusEvent;
}

/** Port to the batch items. Reads are strongly consistent. */
export interface BatchStore {
  /**
   * Writes the batch, its metadata, the charge and the idempotency key in one transaction, or nothing.
   * @throws TransientFailure if the batch is a retry that another replaced
   */
  create(batch: Batch, metadata: string | null, charge?: Charge): Promise<CreationOutcome>;
  readBatch(batchId: BatchId): Promise<Batch | null>;
  /** Reads at most 100 batches, and returns them in this order. */
  readBatches(batchIds: readonly BatchId[]): Promise<readonly (Batch | null)[]>;
  /** The exact JSON text that the client sent, or null. */
  readMetadata(batchId: BatchId): Promise<string | null>;
  /** The metadata of each of at most 100 batches, in this order. */
  readAllMetadata(batchIds: readonly BatchId[]): Promise<readonly (string | null)[]>;
  /** pending → processing; no effect in any other state. */
  start(batchId: BatchId, at: Timestamp): Promise<void>;
  /** Requests the cancellation of an unfinished batch; the time of the first request is kept. */
  requestCancel(batchId: BatchId, at: Timestamp): Promise<Transition>;
  /**
   * Records which batch retries which jobs of this one, unless a retry is recorded already.
   * @param abandoned a recorded retry that is replaced, unless it has been created
   * @returns the recorded retry
   */
  claimRetry(batchId: BatchId, claim: RetryClaim, abandoned?: BatchId): Promise<RetryClaim>;
  /** Counts one more restart, on condition that the batch is unfinished, not cancelled and has this count. */
  claimRestart(batchId: BatchId, restarts: number, at: Timestamp): Promise<Transition>;
  /**
   * pending or processing → final, together with the outbox items, the refund and the release of the
   * slot in one transaction: a batch finishes with its events, and a refund is made once. Its
   * bounded part is left out if it exceeds the day's bound.
   */
  finish(
    batchId: BatchId,
    outcome: FinalOutcome,
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
  readonly from?: Timestamp;
  /** This bound is exclusive, and later than `from`. */
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
