import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Usage, usageOfBatch } from '../../lambdas/domain/cost/batch-usage.ts';
import { expectedWork } from '../../lambdas/domain/cost/job-work.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';

export interface JobKind {
  readonly name: string;
  readonly patchBatches: number;
  /** The points of each patch-batch. */
  readonly points: number;
  readonly pointsPerSecond: number;
}

/**
 * Finds the CPU seconds per million points in `bench/RESULTS.md` (predict): the first row of a random forest with 500
 * trees on smooth cells.
 */
const MEASURED = /^\| random forest, 500 trees [^|]*\| smooth +\| +([\d.]+)/m;

/**
 * The points that a function predicts per second: half of what one thread of the benchmark predicts, because a function
 * must also read covariates, and its virtual CPU may be slower.
 */
const POINTS_PER_SECOND = 1_000_000 / readSecondsPerMillion() / 2;

function readSecondsPerMillion(): number {
  const results = readFileSync(join(import.meta.dirname, '..', 'RESULTS.md'), 'utf8');
  const seconds = MEASURED.exec(results)?.[1];
  if (seconds === undefined)
    throw new Error(`bench/RESULTS.md has no row that matches ${MEASURED}`);
  return Number(seconds);
}

const POINTS_PER_HECTARE = 100;

/** A field of 20 ha at 10 m. */
export const FIELD: JobKind = {
  name: 'field',
  patchBatches: 1,
  points: 20 * POINTS_PER_HECTARE,
  pointsPerSecond: POINTS_PER_SECOND,
};

/** The largest job. A block is larger than the job, so the job touches at most four blocks. */
export const REGION: JobKind = {
  name: 'region',
  patchBatches: 4,
  points: (LIMITS.hectaresPerJob * POINTS_PER_HECTARE) / 4,
  pointsPerSecond: POINTS_PER_SECOND,
};

export const WORKLOADS: readonly (readonly [kind: JobKind, jobsPerBatch: number])[] = [
  [FIELD, 1],
  [FIELD, 1_000],
  [REGION, 1],
  [REGION, 1_000],
];

const memory = readStageConfig('prod').memoryMb;

export function computePredictionSeconds(kind: JobKind): number {
  const unit = (1_024 / memory.predict) * countOneMore(kind, 'x86GbSeconds');
  return unit / kind.patchBatches;
}

/** Returns how much of a resource one additional job uses in a batch of several. */
export function countOneMore(kind: JobKind, unit: keyof Usage): number {
  return countUsage(kind, 3)[unit] - countUsage(kind, 2)[unit];
}

export function countPerJob(kind: JobKind, jobsPerBatch: number, unit: keyof Usage): number {
  return countUsage(kind, jobsPerBatch)[unit] / jobsPerBatch;
}

/**
 * Seconds that a distributed map takes to start and end, in addition to its children. AWS documents no figure; users
 * report 7 s and more with children that do nothing.
 */
export const MAP_SECONDS = 7;

/** This assumes packs of three bands. */
export function countUsage(
  { patchBatches, points, pointsPerSecond }: JobKind,
  jobs: number,
): Usage {
  const pointCounts = Array.from({ length: patchBatches }, () => points);
  const job = expectedWork({ pointCounts, pointsPerSecond, bands: 3 });
  const works = Array.from({ length: jobs }, () => job);
  return usageOfBatch({ jobs: works, webhook: true, retentionDays: 30 }, memory);
}
