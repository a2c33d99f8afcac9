import {
  type Batch,
  type BatchRunner,
  type BatchStore,
  isFinal,
  isWaiting,
  runningSince,
  toRun,
} from '../batch/batch.ts';
import { countJobs, lastChange } from '../batch/batch-progress.ts';
import {
  CANCELLED,
  deadlineExceeded,
  tooManyLostRuns,
  waitedTooLong,
} from '../batch/termination-errors.ts';
import { addSeconds, type Clock, SECONDS_PER_DAY, type Timestamp, timestamp } from '../clock.ts';
import { recordEndedRun, recordInterruption } from '../destination/copy-status.ts';
import type { CopyStore } from '../destination/destination.ts';
import type { BatchQueue } from '../dispatch/batch-queue.ts';
import type { HeldSlot, Slots } from '../dispatch/slots.ts';
import { type BatchId, formatRunName, type NamedRun } from '../identity.ts';
import type { JobError, JobRecord, JobStore } from '../job/job.ts';
import { QUEUE_DAYS } from '../limits.ts';

export interface ReconcileBatchPorts {
  readonly batches: Pick<BatchStore, 'readBatch' | 'claimRestart'>;
  readonly jobs: Pick<JobStore, 'list'>;
  readonly runner: BatchRunner;
  readonly slots: Pick<Slots, 'free'>;
  readonly batchQueue: Pick<BatchQueue, 'enqueue' | 'contains'>;
  readonly copies: Pick<CopyStore, 'recordFailure'>;
  /** Fails the unfinished jobs with this error, and finishes the batch with its event. */
  readonly finishAndReport: (batchId: BatchId, unfinished?: JobError) => Promise<unknown>;
  /** Called for a batch that holds a slot and continues, with those of its jobs that are past `pending`. */
  readonly onRunning: (batch: Batch, jobs: readonly JobRecord[]) => void;
  readonly clock: Clock;
  /** A batch that has held a slot for longer fails. */
  readonly deadlineHours: number;
}

/** A batch that changed this recently, or whose jobs did, is considered to be running. */
const QUIET_SECONDS = 60;

/** A batch whose run is lost more often than this fails, because the cause will probably recur. */
export const MAX_RESTARTS = 3;

/**
 * `cancelled`: finished as its client requested. `joined`: waiting, but was missing from the queue. `freed`: has ended,
 * but still held its slots.
 */
export type BatchRepair =
  | 'started'
  | 'restarted'
  | 'finished'
  | 'cancelled'
  | 'joined'
  | 'freed'
  | 'none';

/** An unfinished batch that may have no run. The state of the run decides. */
export interface SuspectRun {
  readonly batch: Batch;
}

/**
 * Checks a batch by its items, and repairs it if they suffice to decide.
 * @param runChanged whether its run is known to have changed, in which case recently changed items do not prove that it
 * is running
 * @param held the slots that name the batch
 */
export async function checkBatch(
  ports: ReconcileBatchPorts,
  batchId: BatchId,
  {
    runChanged = false,
    held,
  }: { readonly runChanged?: boolean; readonly held?: HeldSlot | undefined },
): Promise<BatchRepair | SuspectRun> {
  const batch = await ports.batches.readBatch(batchId);
  if (batch === null || isFinal(batch)) {
    const freed = held === undefined ? 'unchanged' : await ports.slots.free(held);
    return freed === 'changed' ? 'freed' : 'none';
  }
  const now = timestamp(ports.clock());
  const ending = decideEnding(batch, now, ports.deadlineHours);
  if (ending !== null) {
    await ports.runner.stop(batchId, batch.restarts ?? 0, ending.code);
    await finishWithoutRun(ports, batch, ending);
    return ending === CANCELLED ? 'cancelled' : 'finished';
  }
  if (isWaiting(batch)) return ensureQueued(ports, batch);
  const records = batch.status === 'pending' ? [] : await ports.jobs.list(batchId);
  if (countJobs(batch.total_jobs, records).pending === 0) {
    await ports.finishAndReport(batchId);
    return 'finished';
  }
  ports.onRunning(batch, records);
  return !runChanged && isBusy(batch, records, now) ? 'none' : { batch };
}

/** Queues a batch that is missing from the queue, for example because the process that created it died. */
async function ensureQueued(
  { batchQueue }: ReconcileBatchPorts,
  batch: Batch,
): Promise<BatchRepair> {
  if (await batchQueue.contains(batch.tenant, batch.batch_id)) return 'none';
  await batchQueue.enqueue(batch);
  return 'joined';
}

/** Finishes a batch that has no run any more, and records that no more of its results are copied. */
async function finishWithoutRun(
  ports: ReconcileBatchPorts,
  batch: Batch,
  unfinished: JobError,
): Promise<void> {
  await recordInterruption(ports, batch);
  await ports.finishAndReport(batch.batch_id, unfinished);
}

/** Starts a run that never started, restarts a lost run, and finishes a batch whose run was lost too often. */
export async function repairRun(
  ports: ReconcileBatchPorts,
  { batch }: SuspectRun,
): Promise<BatchRepair> {
  const { batches, runner, clock } = ports;
  const { batch_id: batchId, restarts = 0 } = batch;
  switch (await runner.state(formatRunName(batchId, restarts))) {
    case 'running':
      return 'none';
    case 'absent':
      // This also starts a run whose restart was claimed by a process that died before the start.
      await runner.start(toRun(batch), restarts);
      return restarts === 0 ? 'started' : 'restarted';
    case 'ended': {
      if (restarts >= MAX_RESTARTS) {
        await finishWithoutRun(ports, batch, tooManyLostRuns(restarts + 1));
        return 'finished';
      }
      const claimed = await batches.claimRestart(batchId, restarts, timestamp(clock()));
      if (claimed === 'unchanged') return 'none';
      await runner.start(toRun(batch), restarts + 1);
      return 'restarted';
    }
  }
}

export async function reconcileBatch(
  ports: ReconcileBatchPorts,
  batchId: BatchId,
): Promise<BatchRepair> {
  const checked = await checkBatch(ports, batchId, { runChanged: true });
  return typeof checked === 'string' ? checked : repairRun(ports, checked);
}

/** Repairs the batch of a run that did not succeed, and records that the run copies nothing more. */
export async function reconcileRun(
  ports: ReconcileBatchPorts,
  run: NamedRun,
): Promise<BatchRepair> {
  const repair = await reconcileBatch(ports, run.batchId);
  await recordEndedRun(ports, run);
  return repair;
}

function decideEnding(batch: Batch, now: Timestamp, deadlineHours: number): JobError | null {
  if (batch.cancel_requested_at !== undefined) return CANCELLED;
  if (isWaiting(batch)) {
    const queueEnd = addSeconds(batch.created_at, QUEUE_DAYS * SECONDS_PER_DAY);
    return queueEnd <= now ? waitedTooLong(QUEUE_DAYS) : null;
  }
  const deadline = addSeconds(runningSince(batch), deadlineHours * 3_600);
  return deadline <= now ? deadlineExceeded(deadlineHours) : null;
}

function isBusy(batch: Batch, records: readonly JobRecord[], now: Timestamp): boolean {
  const quietSince = addSeconds(now, -QUIET_SECONDS);
  return lastChange(batch.updated_at, records) > quietSince;
}
