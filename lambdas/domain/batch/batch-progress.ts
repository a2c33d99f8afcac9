import { addSeconds, type Timestamp } from '../clock.ts';
import type { JobRecord } from '../job/job.ts';
import type { BatchState } from './batch.ts';
import { isFinal } from './batch.ts';

/** Jobs of a batch by state: `completed + failed + pending = total`, always. */
export interface JobCounts {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  /** Everything not final, so the processing ones too. */
  readonly pending: number;
  readonly processing: number;
}

/** Derived from the job items, never stored: exact by construction. */
export function countJobs(total: number, records: readonly JobRecord[]): JobCounts {
  const having = (status: JobRecord['state']['status']) =>
    records.filter((record) => record.state.status === status).length;
  const completed = having('completed');
  const failed = having('failed');
  return {
    total,
    completed,
    failed,
    pending: total - completed - failed,
    processing: having('processing'),
  };
}

/**
 * Share of the work that is done, 0 to 1: the mean over jobs of each one's share of predicted
 * points. Jobs weigh the same, because the points of jobs not yet planned are unknown and a
 * weight that appears later would let the value fall.
 */
export function progressOf(total: number, records: readonly JobRecord[]): number {
  const done = records.reduce((sum, record) => sum + shareOf(record), 0);
  // Rounded down, so that it is 1 only when every job is final.
  return Math.floor((done / total) * 10_000) / 10_000;
}

function shareOf({ state, progress }: JobRecord): number {
  if (state.status !== 'processing') return 1;
  if (progress === null || progress.pointCount === 0) return 0;
  // Assembling is still to come once all is predicted.
  return Math.min(progress.completedPoints / progress.pointCount, 0.99);
}

/** When the batch will be done at the rate it had so far; null until there is one, and once final. */
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
