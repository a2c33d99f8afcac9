import type { BatchFinish } from '../domain/batch/finish-batch.ts';
import { costOfBatch, type Pricing } from '../domain/cost/batch-cost.ts';
import type { BatchId } from '../domain/identity.ts';
import type { JobCompletion } from '../domain/job/finishing/complete-job.ts';
import { isServiceFault } from '../domain/job/job.ts';
import { log, toLoggableFields } from './log.ts';
import { measure } from './metrics.ts';

/** Reports nothing unless the batch was finished just now. */
export function reportFinish(batchId: BatchId, finish: BatchFinish, pricing: Pricing): void {
  if (finish.kind !== 'finished') return;
  const { kind, tenant, status, seconds, work, times, ...details } = finish;
  log('info', 'batch-ended', {
    tenant,
    batch_id: batchId,
    outcome: status,
    ...toLoggableFields({ ...details, cost: costOfBatch(work, pricing) }),
    duration_ms: Math.round(seconds * 1_000),
  });
  measure('BatchesFinished', 1, status);
  measure('BatchDuration', seconds);
  const { leftBehind, leftBehindAs } = finish;
  if (leftBehind > 0) {
    measure('JobsFinished', leftBehind, isServiceFault(leftBehindAs) ? 'failed' : 'cancelled');
  }
}

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
