import { inParallel } from '../../in-parallel.ts';
import type { BatchStore } from '../batch/batch-store.ts';
import { addSeconds, timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import {
  type BatchRepair,
  type Doubt,
  judgeBatch,
  mendRun,
  type ReconcileBatchPorts,
} from './reconcile-batch.ts';
import { OVERDUE_SECONDS, type ReconcileEventPorts, reconcileEvent } from './reconcile-event.ts';

export interface ReconcilePorts extends ReconcileBatchPorts, ReconcileEventPorts {
  readonly batches: ReconcileBatchPorts['batches'] & Pick<BatchStore, 'unfinishedSince'>;
}

/** Items looked at side by side. */
const AT_ONCE = 8;

/** Younger batches are left to the request that is making them. */
const BATCH_AGE_SECONDS = 60;

/** Looks at runs, a minute: `DescribeExecution` takes 10 a second after 250 in most regions. */
export const LOOKS_AT_RUNS = 200;

type Repair = BatchRepair | 'scheduled';

export interface RepairFailure {
  readonly batchId: BatchId;
  readonly error: unknown;
}

export interface Reconciliation {
  readonly started: number;
  readonly restarted: number;
  readonly finished: number;
  readonly scheduled: number;
  /** Items looked at. */
  readonly seen: number;
  /** Whether time or looks were up before the last item; the next runs look at the others. */
  readonly cutShort: boolean;
  readonly failures: readonly RepairFailure[];
}

/**
 * Times deliveries anew whose timer was lost, finishes batches that are cancelled, too old or done,
 * starts those that were never started and begins anew those whose run was lost. Does only what
 * other steps may do twice, so runs may overlap; one failure keeps no other from being repaired.
 * @param deadline nothing is begun after it
 */
export async function reconcile(ports: ReconcilePorts, deadline: Date): Promise<Reconciliation> {
  const at = ports.clock();
  const now = timestamp(at);
  const isLate = () => ports.clock() >= deadline;
  const events = await eachOf(
    ports.outbox.undeliveredSince(addSeconds(now, -OVERDUE_SECONDS)),
    ({ batchId }) => batchId,
    (hint) => reconcileEvent(ports, hint, now),
    isLate,
  );
  const judged = await eachOf(
    ports.batches.unfinishedSince(addSeconds(now, -BATCH_AGE_SECONDS)),
    (batchId) => batchId,
    (batchId) => judgeBatch(ports, batchId, false),
    isLate,
  );
  const doubts = judged.filter(isDoubt);
  const chosen = turnOf(doubts, at);
  const mended = await eachOf(
    [chosen],
    ({ batch }) => batch.batchId,
    (doubt) => mendRun(ports, doubt),
    isLate,
  );
  return summaryOf([
    ...events,
    ...judged.flatMap((outcome) => (isDoubt(outcome) ? [] : [outcome])),
    ...mended,
    ...doubts.slice(chosen.length).map(() => 'left' as const),
  ]);
}

/** As many as may be looked at now, others each minute until all had their turn. */
function turnOf(doubts: readonly Doubt[], at: Date): readonly Doubt[] {
  if (doubts.length <= LOOKS_AT_RUNS) return doubts;
  const minute = Math.floor(at.getTime() / 60_000);
  const first = (minute * LOOKS_AT_RUNS) % doubts.length;
  return [...doubts.slice(first), ...doubts.slice(0, first)].slice(0, LOOKS_AT_RUNS);
}

type Outcome = Repair | 'left' | RepairFailure;

function isDoubt(outcome: Outcome | Doubt): outcome is Doubt {
  return typeof outcome === 'object' && 'batch' in outcome;
}

async function eachOf<Hint, Result>(
  pages: AsyncIterable<readonly Hint[]> | Iterable<readonly Hint[]>,
  batchIdOf: (hint: Hint) => BatchId,
  repair: (hint: Hint) => Promise<Result>,
  isLate: () => boolean,
): Promise<readonly (Result | 'left' | RepairFailure)[]> {
  const outcomes: (Result | 'left' | RepairFailure)[] = [];
  for await (const page of pages) {
    const ofPage = await inParallel(page, AT_ONCE, async (hint) => {
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
    restarted: count('restarted'),
    finished: count('finished'),
    scheduled: count('scheduled'),
    seen: outcomes.length - count('left'),
    cutShort: outcomes.includes('left'),
    failures: outcomes.filter((outcome) => typeof outcome === 'object'),
  };
}
