import type { BatchFinish } from '../domain/batch/finish-batch.ts';
import { type BatchCost, costOfBatch, type Pricing } from '../domain/cost/batch-cost.ts';
import type { JobCompletion } from '../domain/job/finishing/complete-job.ts';
import { isServiceFault } from '../domain/job/job.ts';
import { measure } from './metrics.ts';

type Finished = Extract<BatchFinish, { readonly kind: 'finished' }>;

/** The end of a batch as it is logged: with its cost instead of the work that the cost is computed from. */
export type PricedFinish =
  | (Omit<Finished, 'work' | 'times'> & { readonly cost: BatchCost })
  | Exclude<BatchFinish, Finished>;

/** Counts a batch that was finished just now, whoever finished it, and adds what it cost. */
export function measureFinish(finish: BatchFinish, pricing: Pricing): PricedFinish {
  if (finish.kind !== 'finished') return finish;
  const { work, times, ...finished } = finish;
  const cost = costOfBatch(work, pricing);
  measure('BatchesFinished', 1, finish.status);
  measure('BatchDuration', finish.seconds);
  const { leftBehind, leftBehindAs } = finish;
  if (leftBehind > 0) {
    measure('JobsFinished', leftBehind, isServiceFault(leftBehindAs) ? 'failed' : 'cancelled');
  }
  return { ...finished, cost };
}

/** Counts a job that a step of its own finished just now. */
export function measureJob(finish: JobCompletion): void {
  switch (finish.kind) {
    case 'assembled':
    case 'completed':
      measure('JobsFinished', 1, 'completed');
      break;
    case 'failed':
      measure('JobsFinished', 1, isServiceFault(finish.error.code) ? 'failed' : 'refused');
      break;
    case 'unchanged':
  }
}
