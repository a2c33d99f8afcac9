import type { PlannedWork } from '../cost/job-work.ts';
import { sharesOf } from '../patch-batch/shares.ts';

type Work = Pick<PlannedWork, 'pointCounts' | 'pointsPerSecond'>;

/** How much a deployment does at a time. */
export interface Concurrency {
  readonly jobs: number;
  /** Of each job. */
  readonly patchBatches: number;
}

/**
 * Seconds in which the deployment predicts these jobs and nothing else, each worker taking the next
 * in order as soon as it is free (list scheduling: Graham, SIAM J. Appl. Math. 17, 1969). Planning,
 * starting functions and assembling come on top.
 */
export function expectedSeconds(jobs: readonly Work[], concurrency: Concurrency): number {
  return makespan(
    jobs.map((job) => makespan(secondsOfShares(job), concurrency.patchBatches)),
    concurrency.jobs,
  );
}

function secondsOfShares({ pointCounts, pointsPerSecond }: Work): readonly number[] {
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
