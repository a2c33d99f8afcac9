import type { PlannedWork } from '../cost/job-work.ts';
import { sharesOf } from '../patch-batch/shares.ts';

export type PredictionWork = Pick<PlannedWork, 'pointCounts' | 'pointsPerSecond'>;

/** How much a deployment runs at a time. */
export interface Concurrency {
  readonly jobs: number;
  /** Per job. */
  readonly patchBatches: number;
}

/**
 * Seconds that the deployment takes to predict these jobs and nothing else, where each worker takes the
 * next share as soon as it is free (list scheduling: Graham, SIAM J. Appl. Math. 17, 1969). Excludes
 * planning, function starts and assembly.
 */
export function expectedSeconds(jobs: readonly PredictionWork[], concurrency: Concurrency): number {
  return makespan(
    jobs.map((job) => makespan(secondsOfShares(job), concurrency.patchBatches)),
    concurrency.jobs,
  );
}

function secondsOfShares({ pointCounts, pointsPerSecond }: PredictionWork): readonly number[] {
  const blocks = pointCounts.map((pointCount, idx) => ({ idx, pointCount }));
  return sharesOf(blocks, pointsPerSecond).map(
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
