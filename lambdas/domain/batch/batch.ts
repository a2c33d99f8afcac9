import * as z from 'zod/mini';
import type { Charge, CreationOutcome, Refund } from '../admission/quota.ts';
import { addSeconds, SECONDS_PER_DAY, type Timestamp, timestamp } from '../clock.ts';
import type { BusEvent } from '../delivery/bus-outbox.ts';
import type { OutboxEvent } from '../delivery/outbox.ts';
import { storedDestination } from '../destination/destination.ts';
import type { BatchId } from '../identity.ts';
import type { ScanPage, ScanPosition } from '../reconcile/index-scan.ts';
import type { Transition } from '../transition.ts';
import { count, time, type ViewOf } from '../wire.ts';
import { displayRange } from './display-ranges.ts';
import type { RetryClaim } from './retry-selection.ts';

export const FINAL_BATCH_STATUSES = ['completed', 'failed', 'partial'] as const;
export type FinalBatchStatus = (typeof FINAL_BATCH_STATUSES)[number];
export const BATCH_STATUSES = ['pending', 'processing', ...FINAL_BATCH_STATUSES] as const;

export const storedWebhook = z.object({
  url: z.string(),
  /** KMS ciphertext (base64) under the context {tenant, batch_id}; null if deliveries are unsigned. */
  secret_ciphertext: z.nullable(z.string()),
  /**
   * The batch ID in the encryption context, if it is not this batch's: a retry keeps the original batch's ciphertext.
   */
  sealed_for: z.exactOptional(z.string()),
  /** Whether the body lists the jobs. */
  jobs: z.enum(['full', 'none']),
});

export type Webhook = ViewOf<typeof storedWebhook>;

const common = {
  batch_id: z.string(),
  tenant: z.string(),
  name: z.exactOptional(z.string()),
  total_jobs: count,
  /** The model requested for the whole batch, `id` or `id@version`. */
  model: z.nullable(z.string()),
  webhook: z.nullable(storedWebhook),
  /** Where the batch's results are copied; absent if they are not copied. */
  destination: z.exactOptional(storedDestination),
  /** The area limit per job when the batch was created, in hectares. */
  hectares_per_job: count,
  created_at: time,
  /** The last change of the batch; once it is final, the last change of the batch or its jobs. */
  updated_at: time,
  /** From this time on, the batch and its results cannot be read. */
  results_expire_at: time,
  cancel_requested_at: z.exactOptional(time),
  /** The batch whose failed jobs this one retries. */
  retry_of: z.exactOptional(z.string()),
  restarts: z.exactOptional(count),
  /** The batch's slots; absent until it gets them and once it is final. */
  slot: z.exactOptional(count),
  tenant_slot: z.exactOptional(count),
  slot_claimed_at: z.exactOptional(time),
};

export const batchEnd = z.object({
  status: z.enum(FINAL_BATCH_STATUSES),
  completed_at: time,
  /** The number of completed jobs; all others failed. */
  completed_jobs: count,
  updated_at: time,
  /** One range for each model whose cells differ; absent from batches that ended before ranges were stored. */
  display_ranges: z.exactOptional(z.array(displayRange)),
});

/** A batch as stored. The item is kept small, because every transition writes it. */
export const batchRecord = z.discriminatedUnion('status', [
  z.object({ status: z.literal('pending'), ...common, started_at: z.null() }),
  z.object({ status: z.literal('processing'), ...common, started_at: time }),
  z.object({
    ...common,
    ...batchEnd.shape,
    /** Null if the batch ended before the planning of its first job began. */
    started_at: z.nullable(time),
  }),
]);

export type Batch = ViewOf<typeof batchRecord>;

export type FinalBatch = Extract<Batch, { status: FinalBatchStatus }>;

export function isFinal(batch: Batch): batch is FinalBatch {
  return batch.status !== 'pending' && batch.status !== 'processing';
}

type NewBatch = Omit<
  Extract<Batch, { status: 'pending' }>,
  'created_at' | 'updated_at' | 'results_expire_at' | 'status' | 'started_at'
>;

export function newBatch(fields: NewBatch, now: Date, retentionDays: number): Batch {
  const createdAt = timestamp(now);
  return {
    ...fields,
    created_at: createdAt,
    updated_at: createdAt,
    results_expire_at: addSeconds(createdAt, retentionDays * SECONDS_PER_DAY),
    status: 'pending',
    started_at: null,
  };
}

export function decideFinalStatus(counts: { completed: number; failed: number }): FinalBatchStatus {
  if (counts.failed === 0) return 'completed';
  return counts.completed === 0 ? 'failed' : 'partial';
}

export function isWaiting({ status, slot }: Batch): boolean {
  return status === 'pending' && slot === undefined;
}

export function runningSince({ slot_claimed_at, created_at }: Batch): Timestamp {
  return slot_claimed_at ?? created_at;
}

export interface FinalOutcome extends ViewOf<typeof batchEnd> {
  /** The event for the operator's bus; absent if the stage has no bus. */
  readonly busEvent?: BusEvent;
}

/** Port to the batch items. Reads are strongly consistent. */
export interface BatchStore {
  /**
   * Writes the batch, its metadata, the charge and the idempotency key in one transaction, or nothing.
   * @throws TransientFailure if the batch is a retry that another retry replaced
   */
  create(batch: Batch, metadata: string | null, charge?: Charge): Promise<CreationOutcome>;
  readBatch(batchId: BatchId): Promise<Batch | null>;
  /** Reads at most 100 batches and returns them in the given order. */
  readBatches(batchIds: readonly BatchId[]): Promise<readonly (Batch | null)[]>;
  /** Reads the exact JSON text that the client sent, or null. */
  readMetadata(batchId: BatchId): Promise<string | null>;
  /** Reads the metadata of at most 100 batches and returns it in the given order. */
  readAllMetadata(batchIds: readonly BatchId[]): Promise<readonly (string | null)[]>;
  /** Changes the state from pending to processing; has no effect in any other state. */
  start(batchId: BatchId, at: Timestamp): Promise<void>;
  /** Requests the cancellation of an unfinished batch. Later requests do not change the time. */
  requestCancel(batchId: BatchId, at: Timestamp): Promise<Transition>;
  /**
   * Records which batch retries which of this batch's jobs, unless a retry is already recorded.
   * @param abandoned a recorded retry to replace, unless it has been created in the meantime
   * @returns the recorded retry
   */
  claimRetry(batchId: BatchId, claim: RetryClaim, abandoned?: BatchId): Promise<RetryClaim>;
  /**
   * Increments the number of restarts, provided that the batch is unfinished, not cancelled and has this number now.
   */
  claimRestart(batchId: BatchId, restarts: number, at: Timestamp): Promise<Transition>;
  /**
   * Changes the state from pending or processing to final, in one transaction with the outbox items, the refund and the
   * release of the slot, so that a batch finishes together with its events and a refund is made once. The bounded part
   * of the refund is left out if it exceeds the daily bound.
   */
  finish(
    batchId: BatchId,
    outcome: FinalOutcome,
    event: OutboxEvent | null,
    refund?: Refund | null,
  ): Promise<'finished' | 'already-final'>;
  /**
   * Lists unfinished batches created in this period, starting after the given position. The IDs are hints from an
   * eventually consistent index.
   */
  unfinished(
    created: { readonly from?: Timestamp; readonly before: Timestamp },
    after: ScanPosition | null,
  ): AsyncIterable<ScanPage<BatchId>>;
}

export interface BatchRun extends Pick<Batch, 'batch_id' | 'total_jobs'> {
  readonly copies: boolean;
}

export function toRun({
  batch_id,
  total_jobs,
  destination,
}: Pick<Batch, 'batch_id' | 'total_jobs' | 'destination'>): BatchRun {
  return { batch_id, total_jobs, copies: destination !== undefined };
}

export type RunInput = ReturnType<typeof toRunInput> | ReturnType<typeof toCopyRunInput>;

export function toRunInput({ batch_id, total_jobs, copies }: BatchRun) {
  return { batch_id, last_job_index: total_jobs - 1, ...(copies ? { copies } : {}) };
}

/** The input for a run that only copies the missing results. */
export function toCopyRunInput(batchId: BatchId) {
  return { batch_id: batchId, only_copies: true };
}

/** Batch runs are Step Functions executions. */
export interface BatchRunner {
  /** Starts the run. Succeeds even if the run is active or has ended. */
  start(run: BatchRun, restarts?: number): Promise<void>;
  /** Starts a run that only copies the missing results, once per request. */
  startCopies(batchId: BatchId, request: number): Promise<void>;
  /** @param name from `formatRunName` or `formatCopyRunName` */
  state(name: string): Promise<'absent' | 'running' | 'ended'>;
  /** Stops the run. A run that has already ended is not an error. */
  stop(batchId: BatchId, restarts: number, cause: string): Promise<'stopped' | 'absent'>;
}

/** A batch's position in its tenant's list; it never changes. */
export interface BatchPosition {
  readonly createdAt: Timestamp;
  readonly batchId: BatchId;
}

export interface CreatedBetween {
  readonly from?: Timestamp;
  /** Exclusive, and later than `from`. */
  readonly before?: Timestamp;
}

/** Port to the index of a tenant's batches. Its results are hints, because an index lags behind its table. */
export interface BatchIndex {
  /**
   * Returns the newest batches created in this period, after this position if it is given. It returns fewer than
   * `count` only at the end of the list, and the order never changes.
   */
  newestAfter(
    tenant: string,
    created: CreatedBetween,
    after: BatchPosition | null,
    count: number,
  ): Promise<readonly BatchPosition[]>;
}
