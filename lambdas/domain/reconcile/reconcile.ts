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

/** How much one run looks at; the rest is there a minute later. */
export interface Bounds {
  /** Each costs one `DescribeExecution`: 15 a second, in bursts of 300 (Step Functions quota). */
  readonly batches: number;
  readonly events: number;
}

export const BOUNDS: Bounds = { batches: 100, events: 100 };

/** Younger batches are left to the request that is making them. */
const BATCH_AGE_SECONDS = 60;

/** How long an event may be overdue before its timer counts as lost. */
const OVERDUE_SECONDS = 120;

export type Repair = 'started' | 'finished' | 'scheduled' | 'none';

export interface Reconciliation {
  readonly started: number;
  readonly finished: number;
  readonly scheduled: number;
  readonly failures: readonly unknown[];
}

/**
 * Starts batches that were never started, finishes those whose run has ended without finishing
 * them, and schedules deliveries whose timer was lost. Does only what other steps may do twice, so
 * runs may overlap; one failure keeps no other from being repaired.
 */
export async function reconcile(
  ports: ReconcilePorts,
  bounds: Bounds = BOUNDS,
): Promise<Reconciliation> {
  const now = timestamp(ports.clock());
  const [batches, events] = await Promise.all([
    ports.batches.unfinishedSince(addSeconds(now, -BATCH_AGE_SECONDS), bounds.batches),
    ports.outbox.undeliveredSince(addSeconds(now, -OVERDUE_SECONDS), bounds.events),
  ]);
  const results: PromiseSettledResult<Repair>[] = [];
  for (const batchId of batches) results.push(await settled(reconcileBatch(ports, batchId)));
  for (const hint of events) results.push(await settled(reconcileEvent(ports, hint, now)));
  return summaryOf(results);
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

async function settled<Value>(promise: Promise<Value>): Promise<PromiseSettledResult<Value>> {
  const [result] = await Promise.allSettled([promise]);
  return result;
}

function summaryOf(results: readonly PromiseSettledResult<Repair>[]): Reconciliation {
  const count = (repair: Repair) =>
    results.filter((result) => result.status === 'fulfilled' && result.value === repair).length;
  return {
    started: count('started'),
    finished: count('finished'),
    scheduled: count('scheduled'),
    failures: results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
  };
}
