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
      /** Null when no job was ever planned. */
      readonly startedAt: Timestamp | null;
      readonly completedAt: Timestamp;
    };

export interface Webhook {
  readonly url: string;
  /** KMS ciphertext (base64) under the context {tenant, batch_id}; null = delivered unsigned. */
  readonly secretCiphertext: string | null;
  /** The batch in the ciphertext's context where it is another: a retry's secret is its original's. */
  readonly sealedFor?: BatchId;
  /** Whether the body lists the jobs; large batches may ask for `none`. */
  readonly jobs: 'full' | 'none';
}

/** One batch as stored: small, because it is written at every transition. */
export interface Batch {
  readonly batchId: BatchId;
  readonly tenant: string;
  readonly totalJobs: number;
  /** Model asked for by the whole batch, `id` or `id@version`. */
  readonly model: string | null;
  readonly webhook: Webhook | null;
  /** What a job of it may cover, whatever becomes of the tenant's limit; absent = the default. */
  readonly hectaresPerJob?: number;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  /** From here on the batch does not exist for anybody (`results_expire_at`). */
  readonly resultsExpireAt: Timestamp;
  readonly state: BatchState;
  /** Since when it is to be cancelled; absent = nobody asked. */
  readonly cancelRequestedAt?: Timestamp;
  /** The batch whose failed jobs these are; absent for one that is no retry. */
  readonly retryOf?: BatchId;
  /** Times its run was begun anew; absent = none. */
  readonly restarts?: number;
  /** Its leave to run, until it is final; an unfinished batch without one waits for its turn. */
  readonly slot?: Slot;
}

export function isFinal(state: BatchState): state is Extract<BatchState, { completedAt: string }> {
  return state.status !== 'pending' && state.status !== 'processing';
}

/** All jobs completed, all failed, or a mix. */
export function finalStatusOf(counts: { completed: number; failed: number }): FinalBatchStatus {
  if (counts.failed === 0) return 'completed';
  return counts.completed === 0 ? 'failed' : 'partial';
}

/** Accepted, but not given leave to run yet. */
export function isWaiting({ state, slot }: Batch): boolean {
  return state.status === 'pending' && slot === undefined;
}
