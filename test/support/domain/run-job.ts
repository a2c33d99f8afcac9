import { completeJob } from '../../../lambdas/domain/job/finishing/complete-job.ts';
import type { CompletedRecord } from '../../../lambdas/domain/job/job.ts';
import { planJob } from '../../../lambdas/domain/job/planning/plan-job.ts';
import { predictPatchBatch } from '../../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import type { Deployment } from './deployment.ts';

/** Plans a job. @returns the number of its patch-batches, 0 if there is nothing to predict */
export async function plan(deployment: Deployment, batchId: string, index = 0): Promise<number> {
  const planning = await planJob(deployment, batchId, index);
  return planning.kind === 'planned' ? planning.patchBatches : 0;
}

export async function predictAll(deployment: Deployment, batchId: string, index = 0) {
  const patchBatches = await plan(deployment, batchId, index);
  for (let idx = 0; idx < patchBatches; idx++) {
    await predictPatchBatch(deployment, batchId, index, idx);
  }
}

/** Runs the state machine's steps for one job without failures. */
export async function runJob(deployment: Deployment, batchId: string, index = 0) {
  await predictAll(deployment, batchId, index);
  return completeJob(deployment, batchId, index);
}

export async function readCompletedRecord(
  { jobs }: Pick<Deployment, 'jobs'>,
  batchId: string,
  index = 0,
): Promise<CompletedRecord> {
  const record = await jobs.read(batchId, index);
  if (record?.status !== 'completed') throw new Error(`job ${index}: ${record?.status}`);
  return record;
}
