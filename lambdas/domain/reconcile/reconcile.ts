import { inParallel } from '../../concurrency/in-parallel.ts';
import type { BatchStore } from '../batch/batch-store.ts';
import { addSeconds, type Timestamp, timestamp } from '../clock.ts';
import type { HeldSlot, Slots } from '../dispatch/slots.ts';
import type { BatchId } from '../identity.ts';
import { type ScanPositions, scanFrom } from './index-scan.ts';
import {
  type BatchRepair,
  checkBatch,
  type ReconcileBatchPorts,
  repairRun,
  type SuspectRun,
} from './reconcile-batch.ts';
import { OVERDUE_SECONDS, type ReconcileEventPorts, reconcileEvent } from './reconcile-event.ts';

export interface ReconcilePorts extends ReconcileBatchPorts, ReconcileEventPorts {
  readonly batches: ReconcileBatchPorts['batches'] & Pick<BatchStore, 'unfinished'>;
  readonly slots: ReconcileBatchPorts['slots'] & Pick<Slots, 'readHeld'>;
  readonly scanPositions: ScanPositions;
  /** Gives free slots to batches that wait, until it is late. @returns how many were started */
  readonly dispatch: (isLate: () => boolean) => Promise<number>;
}

/** Items looked at side by side. */
const AT_ONCE = 8;

/** Younger batches are left to the request that is making them. */
const BATCH_AGE_SECONDS = 60;

/** Two runs, and a half: a batch that nobody dispatched is seen in its second minute by one of them. */
const YOUNG_SECONDS = 210;

/** Items of each index that one run looks at; the next goes on behind them. */
export const MAX_ITEMS_PER_SCAN = 1_000;

/** Looks at runs, a minute: `DescribeExecution` takes 10 a second after 250 in most regions. */
export const MAX_RUN_LOOKUPS = 200;

type Repair = BatchRepair | 'scheduled';

export interface RepairFailure {
  /** Null: of no batch, but of reading an index or the slots, or giving away free ones. */
  readonly batchId: BatchId | null;
  readonly error: unknown;
}

export interface Reconciliation {
  readonly started: number;
  readonly restarted: number;
  readonly finished: number;
  readonly scheduled: number;
  readonly joined: number;
  readonly freed: number;
  /** Batches that waited and were started. */
  readonly dispatched: number;
  /** Items looked at. */
  readonly seen: number;
  /** Whether time or looks were up before the last item; the next runs look at the others. */
  readonly cutShort: boolean;
  readonly failures: readonly RepairFailure[];
}

/**
 * Times deliveries anew whose timer was lost, finishes batches that are cancelled, too old or done,
 * starts those that were never started, begins anew those whose run was lost, and gives free slots to
 * batches that wait. Does only what other steps may do twice, so runs may overlap; one failure keeps no
 * other from being repaired, be it of an index or of reading who holds a slot.
 * @param deadline nothing is begun after it
 */
export async function reconcile(ports: ReconcilePorts, deadline: Date): Promise<Reconciliation> {
  const at = ports.clock();
  const now = timestamp(at);
  const isLate = () => ports.clock() >= deadline;
  // Deliveries may have half of the time: a queue that hangs must not keep batches waiting.
  const half = new Date((at.getTime() + deadline.getTime()) / 2);
  const overdue = addSeconds(now, -OVERDUE_SECONDS);
  const events = await eachOf(
    scanFrom(
      ports.scanPositions,
      'undelivered',
      (place) => ports.outbox.undelivered(overdue, place),
      MAX_ITEMS_PER_SCAN,
    ),
    ({ batchId }) => batchId,
    (hint) => reconcileEvent(ports, hint, now),
    () => ports.clock() >= half,
  );
  const judged = await judgeBatches(ports, now, isLate);
  const doubts = judged.filter(isSuspect);
  const chosen = turnOf(doubts, at);
  const mended = await eachOf(
    [chosen],
    ({ batch }) => batch.batchId,
    (doubt) => repairRun(ports, doubt),
    isLate,
  );
  const dispatched = await eachOf(
    [['free slots']],
    () => null,
    () => ports.dispatch(isLate),
    isLate,
  );
  const outcomes = [
    ...events,
    ...judged.flatMap((outcome) => (isSuspect(outcome) ? [] : [outcome])),
    ...mended,
    ...doubts.slice(chosen.length).map(() => 'left' as const),
    ...dispatched.filter((outcome) => typeof outcome !== 'number'),
  ];
  const starts = dispatched.filter((outcome) => typeof outcome === 'number');
  return { ...summaryOf(outcomes), dispatched: starts.reduce((sum, count) => sum + count, 0) };
}

/** Those that hold a slot, those made just now, and so many others behind where the last run ended. */
async function judgeBatches(ports: ReconcilePorts, now: Timestamp, isLate: () => boolean) {
  const failures: RepairFailure[] = [];
  const slots = await ports.slots.readHeld().catch((error: unknown): readonly HeldSlot[] => {
    failures.push({ batchId: null, error });
    return [];
  });
  const held = new Map(slots.map((slot) => [slot.batchId, slot]));
  const judged = new Set<BatchId>();
  const outcomes = await eachOf(
    hintsOf(ports, [...held.keys()], now),
    (batchId) => batchId,
    async (batchId) => {
      if (judged.has(batchId)) return 'known';
      judged.add(batchId);
      return checkBatch(ports, batchId, { held: held.get(batchId) });
    },
    isLate,
  );
  return [...failures, ...outcomes.filter((outcome) => outcome !== 'known')];
}

async function* hintsOf(
  { batches, scanPositions }: ReconcilePorts,
  held: readonly BatchId[],
  now: Timestamp,
): AsyncGenerator<readonly BatchId[]> {
  yield held;
  const before = addSeconds(now, -BATCH_AGE_SECONDS);
  let young = 0;
  const made = { from: addSeconds(now, -YOUNG_SECONDS), before };
  for await (const { hints } of batches.unfinished(made, null)) {
    yield hints;
    young += hints.length;
    if (young >= MAX_ITEMS_PER_SCAN) break;
  }
  yield* scanFrom(
    scanPositions,
    'unfinished',
    (place) => batches.unfinished({ before }, place),
    MAX_ITEMS_PER_SCAN,
  );
}

/** As many as may be looked at now, others each minute until all had their turn. */
function turnOf(doubts: readonly SuspectRun[], at: Date): readonly SuspectRun[] {
  if (doubts.length <= MAX_RUN_LOOKUPS) return doubts;
  const minute = Math.floor(at.getTime() / 60_000);
  const first = (minute * MAX_RUN_LOOKUPS) % doubts.length;
  return [...doubts.slice(first), ...doubts.slice(0, first)].slice(0, MAX_RUN_LOOKUPS);
}

type Outcome = Repair | 'left' | RepairFailure;

function isSuspect(outcome: Outcome | SuspectRun): outcome is SuspectRun {
  return typeof outcome === 'object' && 'batch' in outcome;
}

type Tried<Result> = Result | 'left' | RepairFailure;

async function eachOf<Hint, Result>(
  pages: AsyncIterable<readonly Hint[]> | Iterable<readonly Hint[]>,
  batchIdOf: (hint: Hint) => BatchId | null,
  repair: (hint: Hint) => Promise<Result>,
  isLate: () => boolean,
): Promise<readonly Tried<Result>[]> {
  const outcomes: Tried<Result>[] = [];
  const tried = async (hint: Hint): Promise<Tried<Result>> => {
    if (isLate()) return 'left';
    try {
      return await repair(hint);
    } catch (error) {
      return { batchId: batchIdOf(hint), error };
    }
  };
  try {
    for await (const page of pages) {
      const ofPage = await inParallel(page, AT_ONCE, tried);
      outcomes.push(...ofPage);
      if (ofPage.includes('left')) break;
    }
  } catch (error) {
    outcomes.push({ batchId: null, error });
  }
  return outcomes;
}

function summaryOf(outcomes: readonly Outcome[]): Omit<Reconciliation, 'dispatched'> {
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  return {
    started: count('started'),
    restarted: count('restarted'),
    finished: count('finished'),
    scheduled: count('scheduled'),
    joined: count('joined'),
    freed: count('freed'),
    seen: outcomes.length - count('left'),
    cutShort: outcomes.includes('left'),
    failures: outcomes.filter((outcome) => typeof outcome === 'object'),
  };
}
