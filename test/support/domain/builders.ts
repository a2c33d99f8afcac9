import type { PlannedBlock } from '../../../engine/raster/grid/plan.ts';
import {
  type Batch,
  batchRecord,
  type FinalBatchStatus,
  type FinalOutcome,
} from '../../../lambdas/domain/batch/batch.ts';
import { type Clock, type Timestamp, timestamp } from '../../../lambdas/domain/clock.ts';
import { newBatchId } from '../../../lambdas/domain/identity.ts';
import type { FinishedRaster, PlannedJob } from '../../../lambdas/domain/job/job.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import type { Plan } from '../../../lambdas/domain/patch-batch/patch-batch.ts';

export const RESULT: FinishedRaster = {
  raster_bytes: 4_096,
  raster_etag: '"9b2cf535f27731c974343645a3985328"',
};

export const PACK_SHA256 = 'be76138f4b2b07dba5a28f9fead932fdbcc7aefe30c1394410797dfb70998169';

/** Returns a clock that advances by a second at each call; by default it starts now. */
export function tickingClock(start: Date = new Date()): Clock {
  let now = start.getTime();
  return () => {
    now += 1_000;
    return new Date(now);
  };
}

const DAY_MS = 86_400_000;

/** Returns the end of a batch without completed jobs. */
export function anEnd(status: FinalBatchStatus, completed_at: Timestamp): FinalOutcome {
  return { status, completed_at, completed_jobs: 0, updated_at: completed_at };
}

export function aBatch(changes: Partial<Batch> = {}, created: Date = new Date()): Batch {
  return batchRecord.parse({
    batch_id: newBatchId(created),
    tenant: 'stein',
    total_jobs: 3,
    model: null,
    webhook: null,
    hectares_per_job: LIMITS.hectaresPerJob,
    created_at: timestamp(created),
    updated_at: timestamp(created),
    results_expire_at: timestamp(new Date(created.getTime() + 30 * DAY_MS)),
    status: 'pending',
    started_at: null,
    ...changes,
  });
}

export function aBlock(idx: number, pointCount = 100): PlannedBlock {
  return { idx, col: idx * 128, row: 0, width: 128, height: 128, pointCount };
}

export function aPlan(blocks = 3): Plan {
  return {
    model: 'meuse-soc@1.0.0',
    packSha256: PACK_SHA256,
    window: { col: 0, row: 0, width: blocks * 128, height: 128 },
    rule: 'centre',
    touchedParts: [],
    blockTiles: 1,
    blocks: Array.from({ length: blocks }, (_, idx) => aBlock(idx)),
  };
}

export function aPlannedJob(changes: Partial<PlannedJob> = {}): PlannedJob {
  return {
    model: {
      id: 'meuse-soc@1.0.0',
      temporal: 'static',
      data_period: [1990, 1993],
      sha256: PACK_SHA256,
    },
    total_patch_batches: 3,
    shares: 2,
    point_count: 300,
    warnings: [{ code: 'static_model', message: 'the year changes nothing' }],
    ...changes,
  };
}
