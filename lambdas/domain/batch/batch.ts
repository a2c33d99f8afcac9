import type { Timestamp } from '../clock.ts';
import type { Slot } from '../dispatch/slots.ts';
import type { BatchId } from '../identity.ts';

const FINAL_BATCH_STATUSES = ['completed', 'failed', 'partial'] as const;
export type FinalBatchStatus = (typeof FINAL_BATCH_STATUSES)[number];
export const BATCH_STATUSES = ['pending', 'processing', ...FINAL_BATCH_STATUSES] as const;

export type BatchState =
  | { readonly status: 'pending' }
  | { readonly status: 'processing'; readonly startedAt: Timestamp }
  | {
      readonly status: FinalBatchStatus;
      /** Null if no job was ever planned. */
      readonly startedAt: Timestamp | null;
      readonly completedAt: Timestamp;
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
  /** As its client named it; absent = unnamed. */
  readonly name?: string;
  readonly totalJobs: number;
  /** Model requested for the whole batch, `id` or `id@version`. */
  readonly model: string | null;
  readonly webhook: Webhook | null;
  /** The area limit per job when the batch was created, in hectares. */
  readonly hectaresPerJob: number;
  readonly createdAt: Timestamp;
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
  /** When it got its slot; absent in items of version 0.2.0, whose queue was part of their deadline. */
  readonly slotClaimedAt?: Timestamp;
}

export function isFinal(state: BatchState): state is Extract<BatchState, { completedAt: string }> {
  return state.status !== 'pending' && state.status !== 'processing';
}

/** All jobs completed, all failed, or a mix. */
export function finalStatusOf(counts: { completed: number; failed: number }): FinalBatchStatus {
  if (counts.failed === 0) return 'completed';
  return counts.completed === 0 ? 'failed' : 'partial';
}

/** Accepted, but without a slot. */
export function isWaiting({ state, slot }: Batch): boolean {
  return state.status === 'pending' && slot === undefined;
}

/** From when on the run of a batch counts. */
export function runsSince({ slotClaimedAt, createdAt }: Batch): Timestamp {
  return slotClaimedAt ?? createdAt;
}
