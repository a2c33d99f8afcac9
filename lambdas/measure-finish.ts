import type { BatchFinish } from './domain/batch/finish-batch.ts';
import type { JobCompletion } from './domain/job/complete-job.ts';
import { isOurFault } from './domain/job/job.ts';
import { measure } from './metrics.ts';

/** Counts a batch that was finished just now, by its last step or by the reconciler. */
export function measureFinish(finish: BatchFinish): void {
  if (finish.kind !== 'finished') return;
  measure('BatchesFinished', 1, finish.status);
  measure('BatchDuration', finish.seconds);
  const { leftBehind, leftBehindAs } = finish;
  if (leftBehind === 0) return;
  measure('JobsFinished', leftBehind, isOurFault(leftBehindAs) ? 'failed' : 'cancelled');
}

/** Counts a job that a step of its own finished just now. */
export function measureJob(finish: JobCompletion): void {
  switch (finish.kind) {
    case 'assembled':
    case 'completed':
      measure('JobsFinished', 1, 'completed');
      break;
    case 'failed':
      measure('JobsFinished', 1, isOurFault(finish.error.code) ? 'failed' : 'refused');
      break;
    case 'unchanged':
  }
}
