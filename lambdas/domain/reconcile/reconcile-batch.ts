import { type Batch, isFinal, isWaiting } from '../batch/batch.ts';
import { countJobs } from '../batch/batch-progress.ts';
import type { BatchRunner, BatchStore } from '../batch/batch-store.ts';
import { CANCELLED, deadlineExceeded, tooManyLostRuns } from '../batch/termination-errors.ts';
import { addSeconds, type Clock, type Timestamp, timestamp } from '../clock.ts';
import type { BatchQueue } from '../dispatch/batch-queue.ts';
import type { HeldSlot, Slots } from '../dispatch/slots.ts';
import type { BatchId } from '../identity.ts';
import type { JobError, JobRecord } from '../job/job.ts';
import type { JobStore } from '../job/job-store.ts';

export interface ReconcileBatchPorts {
  readonly batches: Pick<BatchStore, 'read' | 'claimRestart'>;
  readonly jobs: Pick<JobStore, 'list'>;
  readonly runner: BatchRunner;
  readonly slots: Pick<Slots, 'free'>;
  readonly batchQueue: Pick<BatchQueue, 'enqueue' | 'contains'>;
  /** Fails what is not final, with the error given, counts, and finishes the batch with its event. */
  readonly finish: (batchId: BatchId, unfinished?: JobError) => Promise<unknown>;
  readonly clock: Clock;
  /** After so many hours an unfinished batch is given up. */
  readonly deadlineHours: number;
}

/** A batch whose jobs changed so lately is running, whoever runs it. */
const QUIET_SECONDS = 60;

/** A batch whose run is lost more often is failed: what loses it would lose it again. */
export const MAX_RESTARTS = 3;

/** `joined`: it waits, and did not stand in line; `freed`: it has ended, and still held its slots. */
export type BatchRepair = 'started' | 'restarted' | 'finished' | 'joined' | 'freed' | 'none';

/** Only a look at the run can tell whether the batch needs help. */
export interface SuspectRun {
  readonly batch: Batch;
}

/**
 * One batch, by a hint from wherever: the items decide, as far as they can.
 * @param told of a change to its run, so that a recent change of its items proves nothing; the slots
 *   that name it
 */
export async function checkBatch(
  ports: ReconcileBatchPorts,
  batchId: BatchId,
  { told = false, held }: { readonly told?: boolean; readonly held?: HeldSlot | undefined },
): Promise<BatchRepair | SuspectRun> {
  const batch = await ports.batches.read(batchId);
  if (batch === null || isFinal(batch.state)) {
    const freed = held === undefined ? 'unchanged' : await ports.slots.free(held);
    return freed === 'changed' ? 'freed' : 'none';
  }
  const now = timestamp(ports.clock());
  const ending = endingOf(batch, now, ports.deadlineHours);
  if (ending !== null) {
    await ports.runner.stop(batchId, batch.restarts ?? 0, ending.code);
    await ports.finish(batchId, ending);
    return 'finished';
  }
  if (isWaiting(batch)) return inLine(ports, batch);
  const records = batch.state.status === 'pending' ? [] : await ports.jobs.list(batchId);
  if (countJobs(batch.totalJobs, records).pending === 0) {
    await ports.finish(batchId);
    return 'finished';
  }
  return !told && isBusy(batch, records, now) ? 'none' : { batch };
}

/** Whoever made it died before it joined the line, or before anybody else could see it there. */
async function inLine({ batchQueue }: ReconcileBatchPorts, batch: Batch): Promise<BatchRepair> {
  if (await batchQueue.contains(batch.tenant, batch.batchId)) return 'none';
  await batchQueue.enqueue(batch);
  return 'joined';
}

/** Starts a run that never was, and begins anew one that was lost. */
export async function repairRun(
  { batches, runner, finish, clock }: ReconcileBatchPorts,
  { batch }: SuspectRun,
): Promise<BatchRepair> {
  const { batchId, totalJobs, restarts = 0 } = batch;
  switch (await runner.state(batchId, restarts)) {
    case 'running':
      return 'none';
    case 'absent':
      // A restart that was claimed by a process that died before it could start it, too.
      await runner.start(batchId, totalJobs, restarts);
      return restarts === 0 ? 'started' : 'restarted';
    case 'ended': {
      if (restarts >= MAX_RESTARTS) {
        await finish(batchId, tooManyLostRuns(restarts + 1));
        return 'finished';
      }
      const claimed = await batches.claimRestart(batchId, restarts, timestamp(clock()));
      if (claimed === 'unchanged') return 'none';
      await runner.start(batchId, totalJobs, restarts + 1);
      return 'restarted';
    }
  }
}

export async function reconcileBatch(
  ports: ReconcileBatchPorts,
  batchId: BatchId,
): Promise<BatchRepair> {
  const judged = await checkBatch(ports, batchId, { told: true });
  return typeof judged === 'string' ? judged : repairRun(ports, judged);
}

function endingOf(batch: Batch, now: Timestamp, deadlineHours: number): JobError | null {
  if (batch.cancelRequestedAt !== undefined) return CANCELLED;
  const deadline = addSeconds(batch.createdAt, deadlineHours * 3_600);
  return deadline <= now ? deadlineExceeded(deadlineHours) : null;
}

function isBusy(batch: Batch, records: readonly JobRecord[], now: Timestamp): boolean {
  const quietSince = addSeconds(now, -QUIET_SECONDS);
  return [batch, ...records].some(({ updatedAt }) => updatedAt > quietSince);
}
