import { dynamoBatchStore, finalAttributes } from '../../lambdas/adapters/dynamodb/batches.ts';
import { batchKey, jobKey } from '../../lambdas/adapters/dynamodb/item-keys.ts';
import { dynamoJobStore } from '../../lambdas/adapters/dynamodb/jobs.ts';
import { dynamoOutboxStore } from '../../lambdas/adapters/dynamodb/outbox.ts';
import { dynamoPatchBatchStore } from '../../lambdas/adapters/dynamodb/patch-batches.ts';
import type { Table } from '../../lambdas/adapters/dynamodb/table.ts';
import { updateOnCondition } from '../../lambdas/adapters/dynamodb/transition.ts';
import { type Batch, decideFinalStatus, isFinal } from '../../lambdas/domain/batch/batch.ts';
import { countJobs, lastChange } from '../../lambdas/domain/batch/batch-progress.ts';
import { timestamp } from '../../lambdas/domain/clock.ts';
import type { BatchId } from '../../lambdas/domain/identity.ts';
import type { JobError, JobRecord } from '../../lambdas/domain/job/job.ts';

const LOST: JobError = {
  code: 'internal',
  message: 'The final state of the job was lost. Retry the batch, or send the job again.',
  location: null,
};

/**
 * Makes the items of a batch consistent after some were copied back, because these are older than the items that were
 * not lost.
 * @returns whether jobs failed because their final state was lost, in which case the client has to retry them
 */
export async function repairBatch(table: Table, batchId: BatchId): Promise<boolean> {
  const batch = await dynamoBatchStore(table).readBatch(batchId);
  if (batch === null) return false;
  const jobs = await dynamoJobStore(table).list(batchId);
  for (const { job_index, status } of jobs) {
    if (status === 'processing') await recountJob(table, batchId, job_index);
  }
  // The event is written with the final state, so a batch that has an event but is not final has ended and lost its
  // final state.
  const hasEnded =
    isFinal(batch) || (await dynamoOutboxStore(table).read(batchId, 'batch.completed')) !== null;
  if (!hasEnded || (isFinal(batch) && areAllFinal(batch, jobs))) return false;
  return closeBatch(table, batch);
}

function areAllFinal({ total_jobs }: Batch, jobs: readonly JobRecord[]): boolean {
  return countJobs(total_jobs, jobs).pending === 0;
}

const RECOUNTS = 10;

async function recountJob(table: Table, batchId: BatchId, index: number): Promise<void> {
  const patchBatches = dynamoPatchBatchStore(table);
  const plan = await patchBatches.readPlan(batchId, index);
  if (plan === null) return;
  for (let attempt = 0; attempt < RECOUNTS; attempt++) {
    // Read the job first, because a patch-batch that completes after this read changes the counter.
    const job = await dynamoJobStore(table).read(batchId, index);
    if (job?.status !== 'processing') return;
    const records = await patchBatches.listPatchBatches(batchId, index, 0, plan.blocks.length);
    const completed = records.filter((record) => record.status === 'completed');
    const points = new Map(plan.blocks.map(({ idx, pointCount }) => [idx, pointCount]));
    const recounted = await updateOnCondition(table, {
      Key: jobKey(batchId, index),
      UpdateExpression:
        'SET completed_patch_batches = :completed, completed_points = :points, predicted_points = :predicted',
      ConditionExpression: '#status = :processing AND completed_patch_batches = :before',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':processing': 'processing',
        ':before': job.completed_patch_batches,
        ':completed': completed.length,
        ':points': completed.reduce(
          (sum, { patch_batch_idx }) => sum + (points.get(patch_batch_idx) ?? 0),
          0,
        ),
        ':predicted': completed.reduce(
          (sum, { predicted_point_count }) => sum + predicted_point_count,
          0,
        ),
      },
    });
    if (recounted === 'changed') return;
  }
  throw new Error(
    `job ${index} of batch ${batchId} changed during every attempt to repair it; run the command again`,
  );
}

/**
 * Ends a batch that had already ended before the loss, as its client may know. Jobs whose final state was lost fail and
 * can be retried; the batch's run is not repeated. The webhook is sent again only if its event was lost: the restored
 * event is as it was at the restore point, and the reconciler delivers it if it was due then.
 */
async function closeBatch(table: Table, batch: Batch): Promise<boolean> {
  const { batch_id: batchId, total_jobs } = batch;
  const jobStore = dynamoJobStore(table);
  const now = timestamp(table.clock());
  let failed = 0;
  for (let index = 0; index < total_jobs; index++) {
    if ((await jobStore.fail(batchId, index, LOST, now)) === 'changed') failed += 1;
  }
  const jobs = await jobStore.list(batchId);
  const counts = countJobs(total_jobs, jobs);
  const end = {
    status: decideFinalStatus(counts),
    completed_at: isFinal(batch) ? batch.completed_at : now,
    completed_jobs: counts.completed,
    updated_at: lastChange(now, jobs),
  };
  await updateOnCondition(table, {
    Key: batchKey(batchId),
    ...finalAttributes(end, { ':before': batch.status }),
    ConditionExpression: '#status = :before',
  });
  return failed > 0;
}
