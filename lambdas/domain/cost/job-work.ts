import type { JobRecord } from '../job/job.ts';
import { sharesOf } from '../patch-batch/shares.ts';

/** What one job makes the pipeline do. */
export interface JobWork {
  readonly patchBatches: number;
  /** Invocations that predict them. */
  readonly shares: number;
  /** Of all predictions, at the memory that their function has. */
  readonly predictionSeconds: number;
  /** Null for a job that has none. */
  readonly rasterBytes: number | null;
}

/** One job, as its plan tells of it. */
export interface PlannedWork {
  /** Cells of each patch-batch. */
  readonly pointCounts: readonly number[];
  /** Of its model: points one vCPU predicts in a second. */
  readonly pointsPerSecond: number;
  readonly bands: number;
}

/** Float32, and a third more for the overviews (1/4 + 1/16 + …); DEFLATE saves about a third. */
const BYTES_PER_VALUE = (4 * 4) / 3 / 1.5;

/** What a job will do, by its plan. */
export function expectedWork({ pointCounts, pointsPerSecond, bands }: PlannedWork): JobWork {
  const points = pointCounts.reduce((sum, count) => sum + count, 0);
  const blocks = pointCounts.map((pointCount, idx) => ({ idx, pointCount }));
  return {
    patchBatches: pointCounts.length,
    shares: sharesOf(blocks, pointsPerSecond).length,
    predictionSeconds: points / pointsPerSecond,
    rasterBytes: points * bands * BYTES_PER_VALUE,
  };
}

/** What a job did, as it was counted; null for one that ended at its plan. */
export function actualWork({ progress, use, state }: JobRecord): JobWork | null {
  if (progress === null) return null;
  return {
    patchBatches: progress.completedPatchBatches,
    shares: use?.shares ?? progress.totalPatchBatches,
    predictionSeconds: (use?.predictionMs ?? 0) / 1_000,
    rasterBytes: state.status === 'completed' ? (use?.rasterBytes ?? 0) : null,
  };
}
