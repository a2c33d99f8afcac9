import { addSeconds, type Timestamp } from '../clock.ts';
import type { CountedJob } from '../job/job.ts';
import type { BatchState } from './batch.ts';
import { isFinal } from './batch.ts';

/** Jobs of a batch by state. Always `completed + failed + pending = total`. */
export interface JobCounts {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  /** All jobs that are not final, including those processing. */
  readonly pending: number;
  readonly processing: number;
}

/** Derived from the job items, never stored. */
export function countJobs(total: number, records: readonly CountedJob[]): JobCounts {
  const countOf = (status: CountedJob['state']['status']) =>
    records.filter((record) => record.state.status === status).length;
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

/**
 * Progress from 0 to 1: the mean over all jobs of each job's predicted fraction. All jobs have the same
 * weight: the points of unplanned jobs are unknown, and a weight that appeared later could make the
 * value fall.
 */
export function progressOf(total: number, records: readonly CountedJob[]): number {
  const done = records.reduce((sum, record) => sum + fractionOf(record), 0);
  // Rounded down: 1 only when every job is final.
  return Math.floor((done / total) * 10_000) / 10_000;
}

function fractionOf({ state, progress }: CountedJob): number {
  if (state.status !== 'processing') return 1;
  if (progress === null || progress.pointCount === 0) return 0;
  // The raster is still to be assembled when all points are predicted.
  return Math.min(progress.completedPoints / progress.pointCount, 0.99);
}

/** When the batch will be done at its rate so far. Null until there is a rate, and once it is final. */
export function estimatedCompletion(
  state: BatchState,
  progress: number,
  now: Timestamp,
): Timestamp | null {
  if (isFinal(state) || state.status === 'pending' || progress <= 0 || progress >= 1) return null;
  const elapsed = (Date.parse(now) - Date.parse(state.startedAt)) / 1000;
  if (elapsed <= 0) return null;
  return addSeconds(now, (elapsed * (1 - progress)) / progress);
}
