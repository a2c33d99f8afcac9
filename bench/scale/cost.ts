import { computeCost } from '../../lambdas/domain/cost/batch-cost.ts';
import { pricesIn } from '../../lambdas/domain/cost/prices.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { countUsage, FIELD, type JobKind } from './work.ts';

type Cost = ReturnType<typeof computeCost>;

const PRICES = pricesIn('us-east-1').of;

/** Dollars that a job costs by each service, with its part of its batch's. */
export function computeJobCost(kind: JobKind, jobsPerBatch: number): Cost {
  const parts = Object.entries(computeCost(countUsage(kind, jobsPerBatch), PRICES));
  return Object.fromEntries(parts.map(([part, cost]) => [part, cost / jobsPerBatch])) as Record<
    keyof Cost,
    number
  >;
}

/** How many times the counted GB-seconds may have been, on other processors and with other packs. */
const GB_SECONDS = { least: 1 / 10, most: 4 };

/** The cost with the least and the most GB-seconds. */
export function computeCostRange(
  cost: number,
  { functions }: Cost,
): readonly [least: number, most: number] {
  return [cost - functions * (1 - GB_SECONDS.least), cost + functions * (GB_SECONDS.most - 1)];
}

/** How a tenant may use its default quota of a day's area. */
interface QuotaDay {
  readonly what: string;
  readonly jobs: number;
  readonly perBatch: number;
  readonly patchBatches: number;
  /** Cells that are predicted, of those in the charged area. */
  readonly touched: number;
}

const { hectaresPerDay, jobsPerDay, jobsPerBatch, patchBatchesPerJob } = LIMITS;

/** The cells that a charged area touches have at most this many times its area (`measured-area.ts`). */
const MOST_TOUCHED = 2 + 2 * Math.SQRT2;

export const QUOTA_DAYS: readonly QuotaDay[] = [
  {
    what: 'in the largest batches, of one patch-batch a job',
    jobs: jobsPerDay,
    perBatch: jobsPerBatch,
    patchBatches: 1,
    touched: 1,
  },
  {
    what: `the worst: one job a batch, of ${patchBatchesPerJob} patch-batches and every cell touched`,
    jobs: jobsPerDay,
    perBatch: 1,
    patchBatches: patchBatchesPerJob,
    touched: MOST_TOUCHED,
  },
];

/** A hectare in cells of 10 m. */
const CELLS_PER_HECTARE = 100;

export function computeDayCost({ jobs, perBatch, patchBatches, touched }: QuotaDay): number {
  const cells = hectaresPerDay * CELLS_PER_HECTARE * touched;
  const points = cells / jobs / patchBatches;
  return jobs * computeJobCost({ ...FIELD, patchBatches, points }, perBatch).total;
}
