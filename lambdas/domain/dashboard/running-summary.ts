import { inParallel } from '../../concurrency/in-parallel.ts';
import { isFinal } from '../batch/batch.ts';
import type { BatchStore } from '../batch/batch-store.ts';
import { addSeconds, type Clock, timestamp } from '../clock.ts';
import type { OutboxStore } from '../delivery/outbox.ts';
import type { ScanPage } from '../reconcile/index-scan.ts';

export interface RunningSummaryPorts {
  readonly batches: Pick<BatchStore, 'read' | 'unfinished'>;
  readonly outbox: Pick<OutboxStore, 'undelivered'>;
  readonly clock: Clock;
}

/** What is unfinished in the whole deployment at one time. */
export interface RunningSummary {
  readonly pending: number;
  readonly processing: number;
  /** Age of the oldest unfinished batch; 0 if there is none. */
  readonly oldestSeconds: number;
  readonly undelivered: number;
}

/** Batches, and events, counted at most, so that the cost per minute is bounded. */
export const MAX_COUNTED = 1_000;

const READS_AT_ONCE = 16;

/** Events wait at most 15 minutes for their next attempt. */
const LONGEST_WAIT_SECONDS = 1_200;

/** Counts unfinished batches and undelivered events, the oldest first. */
export async function summarizeRunning({
  batches,
  outbox,
  clock,
}: RunningSummaryPorts): Promise<RunningSummary> {
  const now = timestamp(clock());
  const hints = await firstOf(batches.unfinished({ before: addSeconds(now, 1) }, null));
  const read = await inParallel(hints, READS_AT_ONCE, (batchId) => batches.read(batchId));
  const unfinished = read.filter((batch) => batch !== null && !isFinal(batch.state));
  const processing = unfinished.filter((batch) => batch?.state.status === 'processing').length;
  const ages = unfinished.map((batch) => secondsBetween(batch?.createdAt ?? now, now));
  const soon = addSeconds(now, LONGEST_WAIT_SECONDS);
  const events = await firstOf(outbox.undelivered(soon, null));
  return {
    pending: unfinished.length - processing,
    processing,
    oldestSeconds: Math.max(0, ...ages),
    undelivered: events.length,
  };
}

async function firstOf<Hint>(pages: AsyncIterable<ScanPage<Hint>>): Promise<readonly Hint[]> {
  const found: Hint[] = [];
  for await (const { hints } of pages) {
    found.push(...hints);
    if (found.length >= MAX_COUNTED) break;
  }
  return found.slice(0, MAX_COUNTED);
}

function secondsBetween(earlier: string, later: string): number {
  return Math.round((Date.parse(later) - Date.parse(earlier)) / 1000);
}
