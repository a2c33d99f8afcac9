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

/** What is under way in the whole deployment at one moment. */
export interface RunningSummary {
  readonly pending: number;
  readonly processing: number;
  /** Age of the oldest batch that is not final; 0 when there is none. */
  readonly oldestSeconds: number;
  readonly undelivered: number;
}

/** Batches, and events, that are counted at most: a minute's look must stay a look. */
export const MAX_COUNTED = 1_000;

const READS_AT_ONCE = 16;

/** Events wait 15 minutes for their last attempt, at most. */
const LONGEST_WAIT_SECONDS = 1_200;

/** Counts what is unfinished, the oldest first. */
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
