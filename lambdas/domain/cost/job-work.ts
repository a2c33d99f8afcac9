import type { JobRecord } from '../job/job.ts';
import { divideIntoShares } from '../patch-batch/shares.ts';

export interface JobWork {
  readonly patchBatches: number;
  /** The number of invocations that predict. */
  readonly shares: number;
  readonly predictionSeconds: number;
  /** Null if the job has no raster. */
  readonly rasterBytes: number | null;
}

export interface PlannedWork {
  readonly pointCounts: readonly number[];
  /** Points per second that one vCPU predicts with the job's model. */
  readonly pointsPerSecond: number;
  readonly bands: number;
}

/** Float32 plus one third for the overviews (1/4 + 1/16 + …), minus about one third by DEFLATE. */
const BYTES_PER_VALUE = (4 * 4) / 3 / 1.5;

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

/** Returns null if the job ended at planning. */
export function actualWork(job: JobRecord): JobWork | null {
  if (job.model === undefined) return null;
  return {
    patchBatches: job.completed_patch_batches ?? 0,
    shares: job.shares ?? 0,
    predictionSeconds: (job.prediction_ms ?? 0) / 1_000,
    rasterBytes: job.status === 'completed' ? job.raster_bytes : null,
  };
}
