import type { JobRecord } from '../job/job.ts';
import { divideIntoShares } from '../patch-batch/shares.ts';

/** The work of one job. */
export interface JobWork {
  readonly patchBatches: number;
  /** Invocations that predict them. */
  readonly shares: number;
  /** The time of all predictions, at the memory of their function. */
  readonly predictionSeconds: number;
  /** It is null if the job has no raster. */
  readonly rasterBytes: number | null;
}

/** The work of one planned job. */
export interface PlannedWork {
  /** Cells of each patch-batch. */
  readonly pointCounts: readonly number[];
  /** Points per second that one vCPU predicts with its model. */
  readonly pointsPerSecond: number;
  readonly bands: number;
}

/** Float32, a third more for the overviews (1/4 + 1/16 + …), less about a third by DEFLATE. */
const BYTES_PER_VALUE = (4 * 4) / 3 / 1.5;

/** The expected work of a planned job. */
export function expectedWork({ pointCounts, pointsPerSecond, bands }: PlannedWork): JobWork {
  const points = pointCounts.reduce((sum, count) => sum + count, 0);
  const blocks = pointCounts.map((pointCount, idx) => ({ idx, pointCount }));
  return {
    patchBatches: pointCounts.length,
    shares: divideIntoShares(blocks, pointsPerSecond).length,
    predictionSeconds: points / pointsPerSecond,
    rasterBytes: points * bands * BYTES_PER_VALUE,
  };
}

/** The counted work of a job; null if it ended at planning. */
export function actualWork(job: JobRecord): JobWork | null {
  if (job.model === undefined) return null;
  return {
    patchBatches: job.completed_patch_batches ?? 0,
    shares: job.shares ?? 0,
    predictionSeconds: (job.prediction_ms ?? 0) / 1_000,
    rasterBytes: job.status === 'completed' ? job.raster_bytes : null,
  };
}
