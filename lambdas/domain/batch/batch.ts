import * as z from 'zod/mini';
import type { Charge, CreationOutcome, Refund } from '../admission/quota.ts';
import type { Timestamp } from '../clock.ts';
import type { BusEvent } from '../delivery/bus-outbox.ts';
import type { OutboxEvent } from '../delivery/outbox.ts';
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
  /** KMS ciphertext (base64) under the context {tenant, batch_id}; null = delivered unsigned. */
  secret_ciphertext: z.nullable(z.string()),
  /**
   * The batch id in the encryption context, if it is another batch: a retry keeps its original's
   * ciphertext.
   */
  sealed_for: z.exactOptional(z.string()),
  /** Whether the body lists the jobs; clients with large batches may choose `none`. */
  jobs: z.enum(['full', 'none']),
});

export type Webhook = ViewOf<typeof storedWebhook>;

const common = {
  batch_id: z.string(),
  tenant: z.string(),
  /** The name that the client gave; absent if it gave none. */
  name: z.exactOptional(z.string()),
  total_jobs: count,
  /** Model requested for the whole batch, `id` or `id@version`. */
  model: z.nullable(z.string()),
  webhook: z.nullable(storedWebhook),
  /** The area limit per job when the batch was created, in hectares. */
  hectares_per_job: count,
  created_at: time,
  /** The last change of the batch; once it is final, of its jobs, too. */
  updated_at: time,
  /** From this time on, requests for the batch return 404. */
  results_expire_at: time,
  /** When its cancellation was requested; absent = not requested. */
  cancel_requested_at: z.exactOptional(time),
  /** The batch whose failed jobs this one retries; absent if it is not a retry. */
  retry_of: z.exactOptional(z.string()),
  /** How often its run was restarted; absent = never. */
  restarts: z.exactOptional(count),
  /** Its slots, until it is final; an unfinished batch without them waits in the queue. */
  slot: z.exactOptional(count),
  tenant_slot: z.exactOptional(count),
  /** When it got its slots; absent until then. */
  slot_claimed_at: z.exactOptional(time),
};

/** How a batch ended. */
export const batchEnd = z.object({
  status: z.enum(FINAL_BATCH_STATUSES),
  completed_at: time,
  /** The others failed. */
  completed_jobs: count,
  updated_at: time,
  /** One for each model whose cells differ; absent from batches that ended before ranges were stored. */
  display_ranges: z.exactOptional(z.array(displayRange)),
});

/** A batch as stored. Small, because every transition writes it. */
export const batchRecord = z.discriminatedUnion('status', [
  z.object({ status: z.literal('pending'), ...common, started_at: z.null() }),
  z.object({ status: z.literal('processing'), ...common, started_at: time }),
  z.object({
    ...common,
    ...batchEnd.shape,
    /** It is null if no job was ever planned. */
    started_at: z.nullable(time),
  }),
]);

export type Batch = ViewOf<typeof batchRecord>;

export type FinalBatch = Extract<Batch, { status: FinalBatchStatus }>;

export function isFinal(batch: Batch): batch is FinalBatch {
  return batch.status !== 'pending' && batch.status !== 'processing';
}

/** All jobs completed, all failed, or a mix. */
export function decideFinalStatus(counts: { completed: number; failed: number }): FinalBatchStatus {
  if (counts.failed === 0) return 'completed';
  return counts.completed === 0 ? 'failed' : 'partial';
}

/** Accepted, but without a slot. */
export function isWaiting({ status, slot }: Batch): boolean {
  return status === 'pending' && slot === undefined;
}

/** The time since which the batch has been running. */
export function runsSince({ slot_claimed_at, created_at }: Batch): Timestamp {
  return slot_claimed_at ?? created_at;
}

export interface FinalOutcome extends ViewOf<typeof batchEnd> {
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
  /** Stops the run; one that has already ended is not an error. */
  stop(batchId: BatchId, restarts: number, cause: string): Promise<'stopped' | 'absent'>;
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
