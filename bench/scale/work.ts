import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Usage, usageOfBatch } from '../../lambdas/domain/cost/batch-usage.ts';
import { expectedWork } from '../../lambdas/domain/cost/job-work.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';

/** A kind of job, by what it takes. */
export interface JobKind {
  readonly name: string;
  readonly patchBatches: number;
  /** The points of each patch-batch. */
  readonly points: number;
  readonly pointsPerSecond: number;
}

/** The CPU seconds of a million points, by the first measurement of such a model in `bench/RESULTS.md` (predict). */
const MEASURED = /^\| random forest, 500 trees [^|]*\| smooth +\| +([\d.]+)/m;

/** Points a function predicts in a second: half of what one thread does, as it has a virtual CPU and covariates to read. */
const POINTS_PER_SECOND = 1_000_000 / readSecondsPerMillion() / 2;

function readSecondsPerMillion(): number {
  const results = readFileSync(join(import.meta.dirname, '..', 'RESULTS.md'), 'utf8');
  const seconds = MEASURED.exec(results)?.[1];
  if (seconds === undefined) throw new Error(`bench/RESULTS.md has no row ${MEASURED}`);
  return Number(seconds);
}

/** A hectare at 10 m. */
const POINTS_PER_HECTARE = 100;

/** A field of 20 ha at 10 m: one patch-batch of very little prediction. */
export const FIELD: JobKind = {
  name: 'field',
  patchBatches: 1,
  points: 20 * POINTS_PER_HECTARE,
  pointsPerSecond: POINTS_PER_SECOND,
};

/** The largest job. A block is larger than it, so it meets four blocks at most. */
export const REGION: JobKind = {
  name: 'region',
  patchBatches: 4,
  points: (LIMITS.hectaresPerJob * POINTS_PER_HECTARE) / 4,
  pointsPerSecond: POINTS_PER_SECOND,
};

/** How jobs may come: their kind, and how many a batch. */
export const WORKLOADS: readonly (readonly [kind: JobKind, jobsPerBatch: number])[] = [
  [FIELD, 1],
  [FIELD, 1_000],
  [REGION, 1],
  [REGION, 1_000],
];

/** Seconds that a warm function takes in addition to prediction, as in the cost model. */
const memory = readStageConfig('prod').memoryMb;

export function computePredictionSeconds(kind: JobKind): number {
  const unit = (1_024 / memory.predict) * countOneMore(kind, 'x86GbSeconds');
  return unit / kind.patchBatches;
}

/** The use of one job more, in a batch of several. */
export function countOneMore(kind: JobKind, unit: keyof Usage): number {
  return countUsage(kind, 3)[unit] - countUsage(kind, 2)[unit];
}

/** The use of a job, with its part of its batch's. */
export function countPerJob(kind: JobKind, jobsPerBatch: number, unit: keyof Usage): number {
  return countUsage(kind, jobsPerBatch)[unit] / jobsPerBatch;
}

/**
 * Seconds that a distributed map takes in addition to its children, to start and to end. AWS documents no figure;
 * users report 7 s and more with children that do nothing.
 */
export const MAP_SECONDS = 7;

/** The AWS usage of a batch of such jobs, with packs of three bands. */
export function countUsage(
  { patchBatches, points, pointsPerSecond }: JobKind,
  jobs: number,
): Usage {
  const pointCounts = Array.from({ length: patchBatches }, () => points);
  const job = expectedWork({ pointCounts, pointsPerSecond, bands: 3 });
  const works = Array.from({ length: jobs }, () => job);
  return usageOfBatch({ jobs: works, webhook: true, retentionDays: 30 }, memory);
}
