import { computeCost } from '../../lambdas/domain/cost/batch-cost.ts';
import { pricesIn } from '../../lambdas/domain/cost/prices.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { countUsage, FIELD, type JobKind } from './work.ts';

type Cost = ReturnType<typeof computeCost>;

const PRICES = pricesIn('us-east-1').prices;

export function computeJobCost(kind: JobKind, jobsPerBatch: number): Cost {
  const parts = Object.entries(computeCost(countUsage(kind, jobsPerBatch), PRICES));
  return Object.fromEntries(parts.map(([part, cost]) => [part, cost / jobsPerBatch])) as Record<
    keyof Cost,
    number
  >;
}

/** The factors by which the counted GB-seconds may be wrong, on other processors or with other packs. */
const GB_SECONDS = { least: 1 / 10, most: 4 };

export function computeCostRange(
  cost: number,
  { functions }: Cost,
): readonly [least: number, most: number] {
  return [cost - functions * (1 - GB_SECONDS.least), cost + functions * (GB_SECONDS.most - 1)];
}

interface QuotaDay {
  readonly what: string;
  readonly jobs: number;
  readonly perBatch: number;
  readonly patchBatches: number;
  /** The predicted cells per cell of the charged area. */
  readonly touched: number;
}

const { hectaresPerDay, jobsPerDay, jobsPerBatch, patchBatchesPerJob } = LIMITS;

/** The cells that a charged area touches cover at most this many times its area (`measured-area.ts`). */
const MOST_TOUCHED = 2 + 2 * Math.SQRT2;

export const QUOTA_DAYS: readonly QuotaDay[] = [
  {
    what: 'in the largest batches, with one patch-batch per job',
    jobs: jobsPerDay,
    perBatch: jobsPerBatch,
    patchBatches: 1,
    touched: 1,
  },
  {
    what: `the worst case: one job per batch, with ${patchBatchesPerJob} patch-batches and the most cells`,
    jobs: jobsPerDay,
    perBatch: 1,
    patchBatches: patchBatchesPerJob,
    touched: MOST_TOUCHED,
  },
];

/** The number of 10 m cells in a hectare. */
const CELLS_PER_HECTARE = 100;

export function computeDayCost({ jobs, perBatch, patchBatches, touched }: QuotaDay): number {
  const cells = hectaresPerDay * CELLS_PER_HECTARE * touched;
  const points = cells / jobs / patchBatches;
  return jobs * computeJobCost({ ...FIELD, patchBatches, points }, perBatch).total;
}
