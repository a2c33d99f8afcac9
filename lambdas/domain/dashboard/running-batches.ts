import { inParallel } from '#engine/concurrency/in-parallel.ts';
import { type Batch, type BatchStore, isFinal } from '../batch/batch.ts';
import {
  countJobs,
  estimatedCompletion,
  type JobCounts,
  progressOf,
} from '../batch/batch-progress.ts';
import { addSeconds, type Clock, type Timestamp, timestamp } from '../clock.ts';
import type { JobRecord, JobStore } from '../job/job.ts';

export interface RunningBatchesPorts {
  readonly batches: Pick<BatchStore, 'read' | 'unfinished'>;
  readonly jobs: Pick<JobStore, 'list'>;
  readonly clock: Clock;
}

/** Summary of a batch for an operator. */
export interface ShownBatch {
  readonly batch: Batch;
  readonly counts: JobCounts;
  /** 0 to 1, as in its status. */
  readonly progress: number;
  /** Jobs per minute that reached a final state in the last minutes. */
  readonly jobsPerMinute: number;
  readonly ageSeconds: number;
  /** Null until there is a rate. */
  readonly secondsLeft: number | null;
}

export interface RunningBatches {
  readonly at: Timestamp;
  /** The oldest running batches. */
  readonly running: readonly ShownBatch[];
  readonly totalRunning: number;
  /** Accepted, not started. */
  readonly totalPending: number;
  /** Whether more batches exist than were read. */
  readonly isTruncated: boolean;
}

/**
 * What one view reads at most: batch items, and job lists (up to 1,000 items each). An open dashboard
 * refreshes every minute.
 */
export const MAX_BATCHES_READ = 200;
export const MAX_BATCHES_SHOWN = 12;

const READS_AT_ONCE = 16;
const LISTS_AT_ONCE = 4;

export async function readRunningBatches(ports: RunningBatchesPorts): Promise<RunningBatches> {
  const at = timestamp(ports.clock());
  const hints: string[] = [];
  for await (const page of ports.batches.unfinished({ before: addSeconds(at, 1) }, null)) {
    hints.push(...page.hints);
    if (hints.length > MAX_BATCHES_READ) break;
  }
  const chosen = hints.slice(0, MAX_BATCHES_READ);
  const read = await inParallel(chosen, READS_AT_ONCE, (batchId) => ports.batches.read(batchId));
  const unfinished = read
    .filter((batch) => batch !== null)
    .filter(({ state }) => !isFinal(state))
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  const running = unfinished.filter(({ state }) => state.status === 'processing');
  const shown = await inParallel(
    running.slice(0, MAX_BATCHES_SHOWN),
    LISTS_AT_ONCE,
    async (batch) => shownBatch(batch, await ports.jobs.list(batch.batchId), at),
  );
  return {
    at,
    running: shown,
    totalRunning: running.length,
    totalPending: unfinished.length - running.length,
    isTruncated: hints.length > MAX_BATCHES_READ,
  };
}

export function shownBatch(batch: Batch, records: readonly JobRecord[], at: Timestamp): ShownBatch {
  const progress = progressOf(batch.totalJobs, records);
  const end = estimatedCompletion(batch.state, progress, at);
  return {
    batch,
    counts: countJobs(batch.totalJobs, records),
    progress,
    jobsPerMinute: recentRate(batch, records, at),
    ageSeconds: secondsBetween(batch.createdAt, at),
    secondsLeft: end === null ? null : Math.max(0, secondsBetween(at, end)),
  };
}

const RECENT_SECONDS = 300;

/** Over the last five minutes, or since the batch started if that is less. */
function recentRate({ state }: Batch, records: readonly JobRecord[], at: Timestamp): number {
  const startedAt = state.status === 'pending' ? null : state.startedAt;
  if (startedAt === null) return 0;
  const seconds = Math.min(RECENT_SECONDS, Math.max(1, secondsBetween(startedAt, at)));
  const since = addSeconds(at, -seconds);
  const finished = records.filter(
    (record) => record.state.status !== 'processing' && record.state.completedAt >= since,
  );
  return (finished.length * 60) / seconds;
}

function secondsBetween(earlier: Timestamp, later: Timestamp): number {
  return (Date.parse(later) - Date.parse(earlier)) / 1000;
}
