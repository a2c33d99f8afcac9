import { type Usage, usageOfBatch } from '../../lambdas/domain/cost/batch-usage.ts';
import { expectedWork } from '../../lambdas/domain/cost/job-work.ts';
import { stageConfig } from '../../lib/config/each-stage.ts';

/** A kind of job, by what it takes. */
export interface JobKind {
  readonly name: string;
  readonly patchBatches: number;
  /** The points of each patch-batch. */
  readonly points: number;
  readonly pointsPerSecond: number;
}

/**
 * Points one thread predicts in a second: 500 trees in `bench/RESULTS.md` (predict), halved, as a
 * function has a virtual CPU and covariates to read.
 */
const POINTS_PER_SECOND = 142_085 / 2;

/** A field of 20 ha at 10 m: one patch-batch of hardly any prediction. */
export const FIELD: JobKind = {
  name: 'field',
  patchBatches: 1,
  points: 2_000,
  pointsPerSecond: POINTS_PER_SECOND,
};

/** Twelve patch-batches of 10 s, which is what planning aims at. */
export const REGION: JobKind = {
  name: 'region',
  patchBatches: 12,
  points: 10 * POINTS_PER_SECOND,
  pointsPerSecond: POINTS_PER_SECOND,
};

/** Seconds that a warm function takes beside prediction, as in the cost model. */
const memory = stageConfig('prod').memoryMb;

export function secondsOf(kind: JobKind): number {
  const unit = (1_024 / memory.predict) * oneMore(kind, 'x86GbSeconds');
  return unit / kind.patchBatches;
}

/** The use of one job more, in a batch of several. */
export function oneMore(kind: JobKind, unit: keyof Usage): number {
  return usage(kind, 3)[unit] - usage(kind, 2)[unit];
}

/** The use of a job, with its part of its batch's. */
export function perJob(kind: JobKind, jobsPerBatch: number, unit: keyof Usage): number {
  return usage(kind, jobsPerBatch)[unit] / jobsPerBatch;
}

/**
 * Seconds that a distributed map takes besides its children, to start and to end. AWS documents no figure;
 * users report 7 s and more with children that do nothing.
 */
export const MAP_SECONDS = 7;

/** What a batch of such jobs uses of AWS. The packs here have three bands. */
export function usage({ patchBatches, points, pointsPerSecond }: JobKind, jobs: number): Usage {
  const pointCounts = Array.from({ length: patchBatches }, () => points);
  const job = expectedWork({ pointCounts, pointsPerSecond, bands: 3 });
  const works = Array.from({ length: jobs }, () => job);
  return usageOfBatch({ jobs: works, webhook: true, retentionDays: 30 }, memory);
}
