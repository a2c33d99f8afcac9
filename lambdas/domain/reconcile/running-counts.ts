import { mapInParallel } from '#engine/concurrency/in-parallel.ts';
import { type BatchStore, isFinal, isWaiting, runningSince } from '../batch/batch.ts';
import { addSeconds, type Clock, type Timestamp, timestamp } from '../clock.ts';
import type { OutboxStore } from '../delivery/outbox.ts';
import type { Slots } from '../dispatch/slots.ts';
import type { ScanPage } from './index-scan.ts';

export interface RunningCountsPorts {
  readonly batches: Pick<BatchStore, 'readBatch' | 'unfinished'>;
  readonly slots: Pick<Slots, 'readHeld'>;
  readonly outbox: Pick<OutboxStore, 'undelivered'>;
  readonly clock: Clock;
}

export interface RunningCounts {
  readonly pending: number;
  readonly processing: number;
  /** How long the batch that got its slot first has held it; 0 if no batch has one. */
  readonly oldestRunningSeconds: number;
  /** How long the oldest batch in the queue has waited; 0 if none waits. */
  readonly oldestQueuedSeconds: number;
  readonly undelivered: number;
}

/**
 * At most this many of the oldest batches, and of the events, are counted, which bounds the cost per minute. Batches
 * with a slot are always counted.
 */
export const MAX_COUNTED = 1_000;

const READS_AT_ONCE = 16;

/** Events wait at most `MAX_DELAY_SECONDS` for their next attempt; the rest is a margin. */
const LONGEST_WAIT_SECONDS = 1_200;

/** Counts undelivered events, and unfinished batches: all with a slot, and the oldest. */
export async function countRunning({
  batches,
  slots,
  outbox,
  clock,
}: RunningCountsPorts): Promise<RunningCounts> {
  const now = timestamp(clock());
  // The running batches need not be among the oldest, because queues are served by tenant.
  const held = new Set((await slots.readHeld()).map(({ batchId }) => batchId));
  const oldest = await readFirstPage(batches.unfinished({ before: addSeconds(now, 1) }, null));
  const hints = [...held, ...oldest.filter((batchId) => !held.has(batchId))];
  const read = await mapInParallel(hints, READS_AT_ONCE, (batchId) => batches.readBatch(batchId));
  const unfinished = read.filter((batch) => batch !== null).filter((batch) => !isFinal(batch));
  const processing = unfinished.filter(({ status }) => status === 'processing').length;
  const queued = unfinished.filter(isWaiting).map(({ created_at }) => created_at);
  const running = unfinished.filter((batch) => !isWaiting(batch)).map(runningSince);
  const soon = addSeconds(now, LONGEST_WAIT_SECONDS);
  const events = await readFirstPage(outbox.undelivered(soon, null));
  return {
    pending: unfinished.length - processing,
    processing,
    oldestRunningSeconds: longestSeconds(running, now),
    oldestQueuedSeconds: longestSeconds(queued, now),
    undelivered: events.length,
  };
}

async function readFirstPage<Hint>(pages: AsyncIterable<ScanPage<Hint>>): Promise<readonly Hint[]> {
  const found: Hint[] = [];
  for await (const { hints } of pages) {
    found.push(...hints);
    if (found.length >= MAX_COUNTED) break;
  }
  return found.slice(0, MAX_COUNTED);
}

function longestSeconds(since: readonly Timestamp[], now: Timestamp): number {
  const seconds = since.map((from) => Math.round((Date.parse(now) - Date.parse(from)) / 1000));
  return Math.max(0, ...seconds);
}
