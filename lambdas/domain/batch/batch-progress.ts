import { countRounds, type RecentTimes, usualRange } from '../admission/batch-times.ts';
import { addSeconds, type Timestamp } from '../clock.ts';
import type { CountedJob, JobStore } from '../job/job.ts';
import { type Batch, type FinalBatch, isFinal } from './batch.ts';

/** Jobs of a batch by state. Always `completed + failed + pending = total`. */
export interface JobCounts {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  /** All jobs that are not final, including those processing. */
  readonly pending: number;
  readonly processing: number;
}

export function countJobs(total: number, records: readonly CountedJob[]): JobCounts {
  const countOf = (status: CountedJob['status']) =>
    records.filter((record) => record.status === status).length;
  const completed = countOf('completed');
  const failed = countOf('failed');
  return {
    total,
    completed,
    failed,
    pending: total - completed - failed,
    processing: countOf('processing'),
  };
}

export function lastChange(ofBatch: Timestamp, records: readonly CountedJob[]): Timestamp {
  return records.reduce((last, { updated_at }) => (updated_at > last ? updated_at : last), ofBatch);
}

export interface BatchProgress {
  readonly counts: JobCounts;
  /** From 0 to 1. */
  readonly progress: number;
  readonly updatedAt: Timestamp;
}

export function batchProgress(batch: Batch, records: readonly CountedJob[]): BatchProgress {
  const { total_jobs, updated_at } = batch;
  if (isFinal(batch)) return { counts: finalCounts(batch), progress: 1, updatedAt: updated_at };
  return {
    counts: countJobs(total_jobs, records),
    progress: computeProgress(total_jobs, records),
    updatedAt: lastChange(updated_at, records),
  };
}

export function finalCounts({
  total_jobs: total,
  completed_jobs: completed,
}: FinalBatch): JobCounts {
  return { total, completed, failed: total - completed, pending: 0, processing: 0 };
}

/** Reads the jobs that {@link batchProgress} needs, which are none once the batch is final. */
export async function readCountedJobs(
  jobs: Pick<JobStore, 'listCounted'>,
  batch: Batch,
): Promise<readonly CountedJob[]> {
  return isFinal(batch) ? [] : jobs.listCounted(batch.batch_id);
}

/**
 * Returns the mean over all jobs of the predicted fraction. Jobs have equal weight, because weights by size, which are
 * unknown until a job is planned, could make the progress fall.
 */
export function computeProgress(total: number, records: readonly CountedJob[]): number {
  const done = records.reduce((sum, record) => sum + computeFraction(record), 0);
  // Rounded down, so that it is 1 only when every job is final.
  return Math.floor((done / total) * 10_000) / 10_000;
}

function computeFraction({ status, point_count = 0, completed_points = 0 }: CountedJob): number {
  if (status !== 'processing') return 1;
  if (point_count === 0) return 0;
  // The raster still has to be assembled after all points are predicted.
  return Math.min(completed_points / point_count, 0.99);
}

/**
 * Estimates when the batch will be done at its rate so far. Returns null without progress, and once every job is final
 * or cancellation was requested.
 */
export function estimateCompletion(
  batch: Batch,
  progress: number,
  now: Timestamp,
): Timestamp | null {
  if (isFinal(batch) || batch.cancel_requested_at !== undefined) return null;
  if (batch.status === 'pending' || progress <= 0 || progress >= 1) return null;
  const elapsed = (Date.parse(now) - Date.parse(batch.started_at)) / 1000;
  if (elapsed <= 0) return null;
  return addSeconds(now, (elapsed * (1 - progress)) / progress);
}

export interface UsualTimesPorts {
  readonly recentTimes: Pick<RecentTimes, 'read'>;
  readonly jobsAtOnce: number;
}

interface CompletionRange {
  readonly earliest: Timestamp;
  readonly latest: Timestamp;
}

type SecondsRange = ReturnType<typeof usualRange>;

export interface UsualTimes {
  readonly wait: SecondsRange;
  /** The time of one round of concurrent jobs. */
  readonly round: SecondsRange;
  readonly jobsAtOnce: number;
}

/** @returns null if no batch was finished recently */
export async function readUsualTimes({
  recentTimes,
  jobsAtOnce,
}: UsualTimesPorts): Promise<UsualTimes | null> {
  const recent = await recentTimes.read();
  if (recent.length === 0) return null;
  return {
    wait: usualRange(recent.map(({ waitSeconds }) => waitSeconds)),
    round: usualRange(
      recent.map(({ runSeconds, jobs }) => runSeconds / countRounds(jobs, jobsAtOnce)),
    ),
    jobsAtOnce,
  };
}

/** @param progress from 0 to 1 */
export function estimateCompletionRange(
  batch: Batch,
  progress: number,
  now: Timestamp,
  { wait, round, jobsAtOnce }: UsualTimes,
): CompletionRange | null {
  if (isFinal(batch) || batch.cancel_requested_at !== undefined) return null;
  const rounds = countRounds(batch.total_jobs, jobsAtOnce);
  const run = { low: rounds * round.low, high: rounds * round.high };
  if (progress > 0) {
    const remainingShare = 1 - progress;
    const ends = [
      addSeconds(now, remainingShare * run.low),
      addSeconds(now, remainingShare * run.high),
    ];
    return spanTimes(ends, estimateCompletion(batch, progress, now));
  }
  // The range starts at fixed times, because the status of a batch without progress must not change with every poll.
  const start =
    batch.status === 'pending'
      ? [addSeconds(batch.created_at, wait.low), addSeconds(batch.created_at, wait.high)]
      : [batch.started_at, batch.started_at];
  const [first = now, last = now] = start;
  const range = spanTimes([addSeconds(first, run.low), addSeconds(last, run.high)], null);
  return range.latest < now ? null : range;
}

function spanTimes(ends: readonly Timestamp[], atItsRate: Timestamp | null): CompletionRange {
  const sorted = [...ends, ...(atItsRate === null ? [] : [atItsRate])].sort();
  const [earliest] = sorted;
  const latest = sorted.at(-1);
  if (earliest === undefined || latest === undefined)
    throw new Error('the end of the batch has no estimate');
  return { earliest, latest };
}
