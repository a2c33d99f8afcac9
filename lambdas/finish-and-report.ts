import { type BatchFinish, finishBatch } from './domain/batch/finish-batch.ts';
import type { BatchId } from './domain/identity.ts';
import type { JobError } from './domain/job/job.ts';
import { reportFinish } from './observability/measure-finish.ts';
import { finishPorts, pricing } from './wiring.ts';

export async function finishAndReport(
  batchId: BatchId,
  unfinished?: JobError,
): Promise<BatchFinish> {
  const outcome = await finishBatch(finishPorts(), batchId, unfinished);
  reportFinish(batchId, outcome, pricing());
  return outcome;
}
