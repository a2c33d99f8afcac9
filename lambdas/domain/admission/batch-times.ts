import type { Batch } from '../batch/batch.ts';
import { millisecondsBetween, type Timestamp } from '../clock.ts';
import type { PlannedWork } from '../cost/job-work.ts';
import type { JobRecord } from '../job/job.ts';
import { divideIntoShares } from '../patch-batch/shares.ts';

export interface BatchTimes {
  readonly finishedAt: Timestamp;
  /** From creation until the planning of the first job began. */
  readonly waitSeconds: number;
  /** From the beginning of planning to the final state. */
  readonly runSeconds: number;
  readonly jobs: number;
  readonly shares: number;
  readonly predictionSeconds: number;
}

/** Port to the times of recently finished batches. */
export interface RecentTimes {
  read(): Promise<readonly BatchTimes[]>;
  /** Adds times and drops the oldest ones beyond {@link TIMES_KEPT}. Concurrent additions may be lost. */
  add(times: BatchTimes): Promise<void>;
}

/** This many times take far less than the 400 KB that a DynamoDB item may have. */
export const TIMES_KEPT = 50;

export function withNewest(
  recent: readonly BatchTimes[],
  newest: BatchTimes,
): readonly BatchTimes[] {
  return [newest, ...recent].slice(0, TIMES_KEPT);
}

/**
 * Returns null if the batch was cancelled, was not processing or predicted nothing: its times then say nothing about
 * other batches.
 */
export function measureTimes(
  batch: Batch,
  records: readonly JobRecord[],
  finishedAt: Timestamp,
): BatchTimes | null {
  if (batch.cancel_requested_at !== undefined || batch.status !== 'processing') return null;
  const shares = records.reduce((sum, job) => sum + (job.shares ?? 0), 0);
  if (shares === 0) return null;
  return {
    finishedAt,
    waitSeconds: millisecondsBetween(batch.created_at, batch.started_at) / 1_000,
    runSeconds: millisecondsBetween(batch.started_at, finishedAt) / 1_000,
    jobs: batch.total_jobs,
    shares,
    predictionSeconds:
      records.reduce((sum, job) => sum + Math.max(job.prediction_ms ?? 0, 0), 0) / 1_000,
  };
}

export interface DurationRange {
  readonly minSeconds: number;
  readonly maxSeconds: number;
}

/** Values outside these quantiles count as outliers. */
const [LOW, HIGH] = [0.1, 0.9];

/**
 * Estimates the time from creation to final state; null without recent batches. The rates of the models give the time
 * of the prediction, and recent batches the wait and the overhead per round of concurrent jobs.
 */
export function expectedDuration(
  totalJobs: number,
  works: readonly PredictionWork[],
  concurrency: Concurrency,
  recent: readonly BatchTimes[],
): DurationRange | null {
  if (recent.length === 0) return null;
  const rounds = countRounds(totalJobs, concurrency.jobs);
  const wait = usualRange(recent.map(({ waitSeconds }) => waitSeconds));
  const overhead = usualRange(recent.map((times) => overheadPerRound(times, concurrency)));
  const predicted = expectedSeconds(works, concurrency);
  return {
    minSeconds: Math.floor(wait.low + rounds * overhead.low + predicted),
    maxSeconds: Math.max(1, Math.ceil(wait.high + rounds * overhead.high + predicted)),
  };
}

export function usualRange(values: readonly number[]): {
  readonly low: number;
  readonly high: number;
} {
  return { low: quantile(values, LOW), high: quantile(values, HIGH) };
}

export function countRounds(jobs: number, jobsAtOnce: number): number {
  return Math.ceil(jobs / jobsAtOnce);
}

function overheadPerRound(
  { runSeconds, jobs, shares, predictionSeconds }: BatchTimes,
  concurrency: Concurrency,
): number {
  const atOnce = Math.min(shares, concurrency.jobs * concurrency.patchBatches);
  return Math.max(0, runSeconds - predictionSeconds / atOnce) / countRounds(jobs, concurrency.jobs);
}

/** Uses the nearest-rank method. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}

type PredictionWork = Pick<PlannedWork, 'pointCounts' | 'pointsPerSecond'>;

/** The maximum numbers of jobs per batch, and of shares per job, that run concurrently. */
export interface Concurrency {
  readonly jobs: number;
  readonly patchBatches: number;
}

/**
 * Returns the seconds that the prediction of these jobs takes, if a worker that becomes free immediately takes the next
 * share or job (list scheduling: Graham, SIAM J. Appl. Math. 17, 1969). Excludes planning, function starts and
 * assembly.
 */
export function expectedSeconds(jobs: readonly PredictionWork[], concurrency: Concurrency): number {
  return makespan(
    jobs.map((job) => makespan(secondsOfShares(job), concurrency.patchBatches)),
    concurrency.jobs,
  );
}

function secondsOfShares({ pointCounts, pointsPerSecond }: PredictionWork): readonly number[] {
  const blocks = pointCounts.map((pointCount, idx) => ({ idx, pointCount }));
  return divideIntoShares(blocks, pointsPerSecond).map(
    (share) => share.reduce((sum, idx) => sum + (pointCounts[idx] ?? 0), 0) / pointsPerSecond,
  );
}

function makespan(durations: readonly number[], workers: number): number {
  const busyUntil = Array.from({ length: Math.min(workers, durations.length) }, () => 0);
  for (const duration of durations) {
    const earliest = Math.min(...busyUntil);
    busyUntil[busyUntil.indexOf(earliest)] = earliest + duration;
  }
  return Math.max(0, ...busyUntil);
}
