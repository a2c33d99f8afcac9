import { mapInParallel } from '#engine/concurrency/in-parallel.ts';
import type { BatchStore } from '../batch/batch.ts';
import { addSeconds, type Timestamp, timestamp } from '../clock.ts';
import { type PublishEventPorts, publishEvent } from '../delivery/publish-event.ts';
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
  /**
   * Gives free slots to queued batches, but no longer once it is late. @returns the number of batches that got a slot
   */
  readonly dispatch: (isLate: () => boolean) => Promise<number>;
  /** Null if the stage has no event bus. */
  readonly publishing: PublishEventPorts | null;
}

const AT_ONCE = 8;

/** Younger batches without a slot are left to the request that creates them. */
const MIN_AGE_SECONDS = 60;

/** The age up to which a batch is recent. Recent batches are checked before older ones. */
const RECENT_SECONDS = 210;

/**
 * The step that finishes a batch publishes its event immediately; events older than this were missed and are published
 * here.
 */
const UNPUBLISHED_SECONDS = 30;

/** If this many events fail before the bus accepts any, the rest wait for the next reconciliation. */
const EVENTS_TO_TRY = 20;

/**
 * After this many items, a reconciliation reads no further page of an index. The next reconciliation continues there.
 */
export const MAX_ITEMS_PER_SCAN = 1_000;

/**
 * The maximum number of `DescribeExecution` calls per reconciliation. The quota is 10 per second after a burst of 250
 * in most regions.
 */
export const MAX_RUN_LOOKUPS = 200;

type Repair = BatchRepair | 'scheduled' | 'published';

export interface RepairFailure {
  /** Null if an index or the slots could not be read, or dispatching failed. */
  readonly batchId: BatchId | null;
  readonly error: unknown;
}

export interface Reconciliation {
  readonly started: number;
  readonly restarted: number;
  readonly finished: number;
  readonly cancelled: number;
  readonly scheduled: number;
  readonly joined: number;
  readonly freed: number;
  readonly published: number;
  readonly dispatched: number;
  readonly seen: number;
  /** Whether time or calls ran out before the last item; the next reconciliations check the others. */
  readonly cutShort: boolean;
  readonly failures: readonly RepairFailure[];
  /** Events that could not be published. They are listed separately, because the bus belongs to the operator. */
  readonly unpublished: readonly RepairFailure[];
}

/**
 * Repairs whatever is stuck: queues deliveries whose message was lost; finishes batches that are cancelled, too old or
 * done; starts batches that never started; restarts batches whose run was lost; gives free slots to queued batches; and
 * publishes missed events. Safe to repeat, so reconciliations may overlap.
 * @param deadline no repair starts after it
 */
export async function reconcile(ports: ReconcilePorts, deadline: Date): Promise<Reconciliation> {
  const at = ports.clock();
  const now = timestamp(at);
  const isLate = () => ports.clock() >= deadline;
  // Deliveries may take half of the time, so that a slow queue does not hold up batches.
  const half = new Date((at.getTime() + deadline.getTime()) / 2);
  const overdue = addSeconds(now, -OVERDUE_SECONDS);
  const events = await repairEach(
    scanFrom(
      ports.scanPositions,
      'undelivered',
      (position) => ports.outbox.undelivered(overdue, position),
      MAX_ITEMS_PER_SCAN,
    ),
    ({ batchId }) => batchId,
    (hint) => reconcileEvent(ports, hint, now),
    () => ports.clock() >= half,
  );
  const checks = await checkBatches(ports, now, isLate);
  const suspects = checks.filter(isSuspect);
  const chosen = selectRuns(suspects, at);
  const repaired = await repairEach(
    [chosen],
    ({ batch }) => batch.batch_id,
    (suspect) => repairRun(ports, suspect),
    isLate,
  );
  const dispatched = await tryRepair(null, () => ports.dispatch(isLate), isLate);
  const published = await publishEvents(ports, now, isLate);
  const outcomes = [
    ...events,
    ...checks.flatMap((outcome) => (isSuspect(outcome) ? [] : [outcome])),
    ...repaired,
    ...suspects.slice(chosen.length).map(() => 'left' as const),
    ...(typeof dispatched === 'number' ? [] : [dispatched]),
    ...published.filter((outcome) => !isUnpublished(outcome)),
  ];
  return {
    ...countOutcomes(outcomes),
    dispatched: typeof dispatched === 'number' ? dispatched : 0,
    unpublished: published.filter(isUnpublished),
  };
}

/** A failure without a batch means that the list of events could not be read. */
function isUnpublished(outcome: RepairOutcome<'published' | 'none'>): outcome is RepairFailure {
  return typeof outcome === 'object' && outcome.batchId !== null;
}

/**
 * Publishes missed events. It runs last, so that an unresponsive bus costs only the time that is left. A failed event
 * does not hold up the others, unless the bus seems to be down.
 */
async function publishEvents(
  { publishing, scanPositions }: ReconcilePorts,
  now: Timestamp,
  isLate: () => boolean,
): Promise<readonly RepairOutcome<'published' | 'none'>[]> {
  if (publishing === null) return [];
  const before = addSeconds(now, -UNPUBLISHED_SECONDS);
  let failed = 0;
  let accepted = 0;
  const isDown = () => accepted === 0 && failed >= EVENTS_TO_TRY;
  return repairEach(
    scanFrom(
      scanPositions,
      'unpublished',
      (position) => publishing.busOutbox.unpublished(before, position),
      MAX_ITEMS_PER_SCAN,
    ),
    (batchId) => batchId,
    async (batchId) => {
      try {
        const outcome = await publishEvent(publishing, batchId);
        if (outcome === 'published') accepted += 1;
        return outcome;
      } catch (error) {
        failed += 1;
        throw error;
      }
    },
    () => isDown() || isLate(),
  );
}

/**
 * Checks batches that hold a slot, recent batches, and as many others as the limit allows, starting where the last
 * reconciliation ended.
 */
async function checkBatches(ports: ReconcilePorts, now: Timestamp, isLate: () => boolean) {
  const failures: RepairFailure[] = [];
  const slots = await ports.slots.readHeld().catch((error: unknown): readonly HeldSlot[] => {
    failures.push({ batchId: null, error });
    return [];
  });
  const held = new Map(slots.map((slot) => [slot.batchId, slot]));
  const checked = new Set<BatchId>();
  const outcomes = await repairEach(
    listHints(ports, [...held.keys()], now),
    (batchId) => batchId,
    async (batchId) => {
      if (checked.has(batchId)) return 'known';
      checked.add(batchId);
      return checkBatch(ports, batchId, { held: held.get(batchId) });
    },
    isLate,
  );
  return [...failures, ...outcomes.filter((outcome) => outcome !== 'known')];
}

async function* listHints(
  { batches, scanPositions }: ReconcilePorts,
  held: readonly BatchId[],
  now: Timestamp,
): AsyncGenerator<readonly BatchId[]> {
  yield held;
  const before = addSeconds(now, -MIN_AGE_SECONDS);
  let recentCount = 0;
  const recent = { from: addSeconds(now, -RECENT_SECONDS), before };
  for await (const { hints } of batches.unfinished(recent, null)) {
    yield hints;
    recentCount += hints.length;
    if (recentCount >= MAX_ITEMS_PER_SCAN) break;
  }
  yield* scanFrom(
    scanPositions,
    'unfinished',
    (position) => batches.unfinished({ before }, position),
    MAX_ITEMS_PER_SCAN,
  );
}

/** Selects as many runs as one reconciliation may describe. If there are more, the selection moves on each minute. */
function selectRuns(suspects: readonly SuspectRun[], at: Date): readonly SuspectRun[] {
  if (suspects.length <= MAX_RUN_LOOKUPS) return suspects;
  const minute = Math.floor(at.getTime() / 60_000);
  const first = (minute * MAX_RUN_LOOKUPS) % suspects.length;
  return [...suspects.slice(first), ...suspects.slice(0, first)].slice(0, MAX_RUN_LOOKUPS);
}

type Outcome = Repair | 'left' | RepairFailure;

function isSuspect(outcome: Outcome | SuspectRun): outcome is SuspectRun {
  return typeof outcome === 'object' && 'batch' in outcome;
}

type RepairOutcome<Result> = Result | 'left' | RepairFailure;

/** @param batchId null if the repair does not concern one batch */
async function tryRepair<Result>(
  batchId: BatchId | null,
  repair: () => Promise<Result>,
  isLate: () => boolean,
): Promise<RepairOutcome<Result>> {
  if (isLate()) return 'left';
  try {
    return await repair();
  } catch (error) {
    return { batchId, error };
  }
}

async function repairEach<Hint, Result>(
  pages: AsyncIterable<readonly Hint[]> | Iterable<readonly Hint[]>,
  batchIdOf: (hint: Hint) => BatchId,
  repair: (hint: Hint) => Promise<Result>,
  isLate: () => boolean,
): Promise<readonly RepairOutcome<Result>[]> {
  const outcomes: RepairOutcome<Result>[] = [];
  try {
    for await (const page of pages) {
      const ofPage = await mapInParallel(page, AT_ONCE, (hint) =>
        tryRepair(batchIdOf(hint), () => repair(hint), isLate),
      );
      outcomes.push(...ofPage);
      if (ofPage.includes('left')) break;
    }
  } catch (error) {
    outcomes.push({ batchId: null, error });
  }
  return outcomes;
}

function countOutcomes(
  outcomes: readonly Outcome[],
): Omit<Reconciliation, 'dispatched' | 'unpublished'> {
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  return {
    started: count('started'),
    restarted: count('restarted'),
    finished: count('finished'),
    cancelled: count('cancelled'),
    scheduled: count('scheduled'),
    joined: count('joined'),
    freed: count('freed'),
    published: count('published'),
    seen: outcomes.length - count('left'),
    cutShort: outcomes.includes('left'),
    failures: outcomes.filter((outcome) => typeof outcome === 'object'),
  };
}
