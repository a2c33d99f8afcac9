import { addSeconds, timestamp } from '../../../lambdas/domain/clock.ts';
import type {
  BatchDetail,
  PatchBatchMap,
  ShownJob,
} from '../../../lambdas/domain/dashboard/batch-detail.ts';
import {
  type RunningBatches,
  type ShownBatch,
  shownBatch,
} from '../../../lambdas/domain/dashboard/running-batches.ts';
import type { JobRecord } from '../../../lambdas/domain/job/job.ts';
import { aBatch } from '../../support/domain/builders.ts';

const AT = timestamp(new Date('2026-03-04T10:20:30.000Z'));

interface RunningBatch {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly processing: number;
  readonly ageSeconds: number;
  readonly tenant?: string;
}

/** A running batch; its jobs were finished evenly over its time. */
export function aRunningBatch(wanted: RunningBatch): ShownBatch {
  const { total, completed, failed, processing, ageSeconds, tenant = 'stein' } = wanted;
  const startedAt = addSeconds(AT, -ageSeconds);
  const batch = aBatch(
    { tenant, totalJobs: total, state: { status: 'processing', startedAt } },
    new Date(startedAt),
  );
  const records = Array.from({ length: completed + failed + processing }, (_, index): JobRecord => {
    const finished = completed + failed;
    const at = addSeconds(startedAt, Math.floor((ageSeconds * (index + 1)) / (finished + 1)));
    return { ...aRecord(index), updatedAt: at, state: stateOf(index, wanted, at) };
  });
  return shownBatch(batch, records, AT);
}

function stateOf(
  index: number,
  { completed, failed }: RunningBatch,
  completedAt: string,
): JobRecord['state'] {
  if (index < failed) return { status: 'failed', completedAt, error: AN_ERROR };
  return index < failed + completed
    ? { status: 'completed', completedAt }
    : { status: 'processing' };
}

const AN_ERROR = {
  code: 'outside_coverage',
  message: 'no model covers it',
  location: null,
} as const;

function aRecord(index: number): Omit<JobRecord, 'state'> {
  return {
    index,
    updatedAt: AT,
    model: null,
    progress: {
      totalPatchBatches: 12,
      completedPatchBatches: 5,
      pointCount: 1_200,
      completedPoints: 500,
      predictedPoints: 500,
    },
    warnings: [],
  };
}

export function runningBatches(changes: Partial<RunningBatches> = {}): RunningBatches {
  const running = [
    aRunningBatch({ total: 1_000, completed: 612, failed: 9, processing: 10, ageSeconds: 5_400 }),
    aRunningBatch({
      total: 40,
      completed: 31,
      failed: 0,
      processing: 6,
      ageSeconds: 260,
      tenant: 'acme',
    }),
    aRunningBatch({
      total: 1,
      completed: 0,
      failed: 0,
      processing: 1,
      ageSeconds: 42,
      tenant: 'lumen',
    }),
    aRunningBatch({
      total: 12,
      completed: 2,
      failed: 4,
      processing: 2,
      ageSeconds: 95,
      tenant: 'acme',
    }),
  ];
  return {
    at: AT,
    running,
    totalRunning: running.length,
    totalPending: 2,
    isTruncated: false,
    ...changes,
  };
}

/** What of a job differs from a pending one without a name. */
export function aJob(index: number, changes: Partial<ShownJob> = {}): ShownJob {
  return {
    index,
    name: null,
    status: 'pending',
    patchBatches: null,
    updatedAt: null,
    error: null,
    ...changes,
  };
}

/** A map of so many patch-batches a side, done row by row, with one that failed. */
export function aPatchBatchMap(side: number, done: number): PatchBatchMap {
  const patchBatches = Array.from({ length: side * side }, (_, idx) => ({
    idx,
    col: (idx % side) * 512,
    row: Math.floor(idx / side) * 512,
    width: 512,
    height: 512,
    status:
      idx < done
        ? ('completed' as const)
        : idx < done + side
          ? ('processing' as const)
          : ('pending' as const),
    failureReason: null,
  })).filter(({ col, row }) => Math.hypot(col - side * 230, row - side * 240) < side * 300);
  return {
    jobIndex: 31,
    model: 'meuse-soc@1.0.0',
    width: side * 512,
    height: side * 512,
    patchBatches,
  };
}

export function aDetail(changes: Partial<BatchDetail> = {}): BatchDetail {
  const shown = aRunningBatch({
    total: 40,
    completed: 29,
    failed: 2,
    processing: 6,
    ageSeconds: 260,
    tenant: 'acme',
  });
  const jobs = Array.from({ length: 40 }, (_, index): ShownJob => {
    const updatedAt = addSeconds(AT, -400 + index * 5);
    const name = `Field ${index + 1}`;
    if (index === 7 || index === 19) {
      const message = 'The ring crosses itself between vertices 3 and 9, near 5.7412, 50.9716.';
      return aJob(index, {
        name,
        status: 'failed',
        updatedAt,
        error: { code: 'geometry_self_intersection', message },
      });
    }
    if (index < 31)
      return aJob(index, {
        name,
        status: 'completed',
        updatedAt,
        patchBatches: { completed: 12, total: 12 },
      });
    if (index < 37)
      return aJob(index, {
        name,
        status: 'processing',
        updatedAt,
        patchBatches: { completed: (index * 5) % 12, total: 12 },
      });
    return aJob(index, { name });
  });
  return {
    at: AT,
    shown,
    metadata: '{"campaign": "spring 2026", "ordered_by": "soil desk"}',
    jobs,
    patchBatchMap: aPatchBatchMap(14, 96),
    ...changes,
  };
}
