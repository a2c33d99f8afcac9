import { type Batch, isFinal, isWaiting } from '../batch/batch.ts';
import { countJobs } from '../batch/batch-progress.ts';
import type { BatchRunner, BatchStore } from '../batch/batch-store.ts';
import { CANCELLED, lostTooOften, pastDeadline } from '../batch/cut-short.ts';
import { addSeconds, type Clock, type Timestamp, timestamp } from '../clock.ts';
import type { HeldSlot, Slots } from '../dispatch/slots.ts';
import type { WaitingLine } from '../dispatch/waiting-line.ts';
import type { BatchId } from '../identity.ts';
import type { JobError, JobRecord } from '../job/job.ts';
import type { JobStore } from '../job/job-store.ts';

export interface ReconcileBatchPorts {
  readonly batches: Pick<BatchStore, 'read' | 'claimRestart'>;
  readonly jobs: Pick<JobStore, 'list'>;
  readonly runner: BatchRunner;
  readonly slots: Pick<Slots, 'free'>;
  readonly line: Pick<WaitingLine, 'join' | 'readJoined'>;
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
export interface Doubt {
  readonly batch: Batch;
}

/**
 * One batch, by a hint from wherever: the items decide, as far as they can.
 * @param told of a change to its run, so that a recent change of its items proves nothing; the slots
 *   that name it
 */
export async function judgeBatch(
  ports: ReconcileBatchPorts,
  batchId: BatchId,
  { told = false, held }: { readonly told?: boolean; readonly held?: HeldSlot | undefined },
): Promise<BatchRepair | Doubt> {
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
async function inLine({ line }: ReconcileBatchPorts, batch: Batch): Promise<BatchRepair> {
  if (await line.readJoined(batch.tenant, batch.batchId)) return 'none';
  await line.join(batch);
  return 'joined';
}

/** Starts a run that never was, and begins anew one that was lost. */
export async function mendRun(
  { batches, runner, finish, clock }: ReconcileBatchPorts,
  { batch }: Doubt,
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
        await finish(batchId, lostTooOften(restarts + 1));
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
  const judged = await judgeBatch(ports, batchId, { told: true });
  return typeof judged === 'string' ? judged : mendRun(ports, judged);
}

function endingOf(batch: Batch, now: Timestamp, deadlineHours: number): JobError | null {
  if (batch.cancelRequestedAt !== undefined) return CANCELLED;
  const deadline = addSeconds(batch.createdAt, deadlineHours * 3_600);
  return deadline <= now ? pastDeadline(deadlineHours) : null;
}

function isBusy(batch: Batch, records: readonly JobRecord[], now: Timestamp): boolean {
  const quietSince = addSeconds(now, -QUIET_SECONDS);
  return [batch, ...records].some(({ updatedAt }) => updatedAt > quietSince);
}
