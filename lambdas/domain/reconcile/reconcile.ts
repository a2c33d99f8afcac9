import { inParallel } from '../../in-parallel.ts';
import { isFinal } from '../batch/batch.ts';
import type { BatchRunner, BatchStore } from '../batch/batch-store.ts';
import { addSeconds, type Clock, type Timestamp, timestamp } from '../clock.ts';
import {
  type DeliveryTimer,
  messageFor,
  type OutboxHint,
  type OutboxStore,
} from '../delivery/outbox.ts';
import type { BatchId } from '../identity.ts';

export interface ReconcilePorts {
  readonly batches: Pick<BatchStore, 'read' | 'unfinishedSince'>;
  readonly runner: BatchRunner;
  /** Fails what is not final, counts, and finishes the batch with its event. */
  readonly finish: (batchId: BatchId) => Promise<unknown>;
  readonly outbox: Pick<OutboxStore, 'read' | 'undeliveredSince'>;
  readonly timer: DeliveryTimer;
  readonly clock: Clock;
}

/** Items looked at side by side. */
const AT_ONCE = 8;

/** Younger batches are left to the request that is making them. */
const BATCH_AGE_SECONDS = 60;

/** How long an event may be overdue before its timer counts as lost. */
const OVERDUE_SECONDS = 120;

export type Repair = 'started' | 'finished' | 'scheduled' | 'none';

export interface RepairFailure {
  readonly batchId: BatchId;
  readonly error: unknown;
}

export interface Reconciliation {
  readonly started: number;
  readonly finished: number;
  readonly scheduled: number;
  /** Items looked at. */
  readonly seen: number;
  /** Whether time was up before the last item; the next run begins with the oldest again. */
  readonly cutShort: boolean;
  readonly failures: readonly RepairFailure[];
}

/**
 * Schedules deliveries whose timer was lost, starts batches that were never started, and finishes
 * those whose run has ended without finishing them. Does only what other steps may do twice, so
 * runs may overlap; one failure keeps no other from being repaired. Reads on past whatever needs no
 * repair, for a batch may run for hours in front of one that was never started.
 * @param deadline nothing is begun after it
 */
export async function reconcile(ports: ReconcilePorts, deadline: Date): Promise<Reconciliation> {
  const now = timestamp(ports.clock());
  const isLate = () => ports.clock() >= deadline;
  const events = await repairEach(
    ports.outbox.undeliveredSince(addSeconds(now, -OVERDUE_SECONDS)),
    ({ batchId }) => batchId,
    (hint) => reconcileEvent(ports, hint, now),
    isLate,
  );
  const batches = await repairEach(
    ports.batches.unfinishedSince(addSeconds(now, -BATCH_AGE_SECONDS)),
    (batchId) => batchId,
    (batchId) => reconcileBatch(ports, batchId),
    isLate,
  );
  return summaryOf([...events, ...batches]);
}

/** One batch, by a hint from wherever: the item and the run decide. */
export async function reconcileBatch(ports: ReconcilePorts, batchId: BatchId): Promise<Repair> {
  const batch = await ports.batches.read(batchId);
  if (batch === null || isFinal(batch.state)) return 'none';
  switch (await ports.runner.state(batchId)) {
    case 'running':
      return 'none';
    case 'absent':
      await ports.runner.start(batchId, batch.totalJobs);
      return 'started';
    case 'ended':
      await ports.finish(batchId);
      return 'finished';
  }
}

async function reconcileEvent(
  ports: ReconcilePorts,
  { batchId, event }: OutboxHint,
  now: Timestamp,
): Promise<Repair> {
  const due = await ports.outbox.read(batchId, event);
  if (due === null || due.state !== 'due') return 'none';
  if (addSeconds(due.nextAttemptAt, OVERDUE_SECONDS) > now) return 'none';
  await ports.timer.schedule(messageFor(due), 0);
  return 'scheduled';
}

type Outcome = Repair | 'left' | RepairFailure;

async function repairEach<Hint>(
  pages: AsyncIterable<readonly Hint[]>,
  batchIdOf: (hint: Hint) => BatchId,
  repair: (hint: Hint) => Promise<Repair>,
  isLate: () => boolean,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for await (const page of pages) {
    const ofPage = await inParallel(page, AT_ONCE, async (hint): Promise<Outcome> => {
      if (isLate()) return 'left';
      try {
        return await repair(hint);
      } catch (error) {
        return { batchId: batchIdOf(hint), error };
      }
    });
    outcomes.push(...ofPage);
    if (ofPage.includes('left')) break;
  }
  return outcomes;
}

function summaryOf(outcomes: readonly Outcome[]): Reconciliation {
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  return {
    started: count('started'),
    finished: count('finished'),
    scheduled: count('scheduled'),
    seen: outcomes.length - count('left'),
    cutShort: outcomes.includes('left'),
    failures: outcomes.filter((outcome) => typeof outcome === 'object'),
  };
}
