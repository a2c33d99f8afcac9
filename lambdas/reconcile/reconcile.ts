import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { CLIENT_OPTIONS } from '../adapters/client-options.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { dynamoOutboxStore } from '../adapters/dynamodb/outbox.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { environment } from '../adapters/environment.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import { sqsDeliveryTimer } from '../adapters/sqs/delivery-timer.ts';
import { stepFunctionsBatchRunner } from '../adapters/step-functions/batch-runner.ts';
import { finishBatch } from '../domain/batch/finish-batch.ts';
import { batchOfRun } from '../domain/batch/run-name.ts';
import { type ReconcilePorts, reconcile } from '../domain/reconcile/reconcile.ts';
import { reconcileBatch } from '../domain/reconcile/reconcile-batch.ts';
import { log, logFailure } from '../log.ts';

/** EventBridge tells that an execution changed; executions of batches are named by them. */
const executionChange = z.object({
  source: z.literal('aws.states'),
  detail: z.object({ name: z.string(), status: z.string() }),
});

const ports = reconcilePorts();

const logRepairFailure = logFailure('repair');

/** Before the invocation's end: the longest repair, finishing a batch of a thousand jobs. */
const MARGIN_MS = 15_000;

/** Every minute for everything, and at once for a batch whose execution has changed. */
export async function handler(event: unknown, context: Context): Promise<void> {
  const change = executionChange.safeParse(event);
  if (change.success) {
    const { name, status } = change.data.detail;
    const batchId = batchOfRun(name);
    if (batchId === null) return;
    const repair = await reconcileBatch(ports, batchId);
    log('info', 'reconciled', { batch_id: batchId, run: name, status, repair });
    return;
  }
  const deadline = new Date(Date.now() + context.getRemainingTimeInMillis() - MARGIN_MS);
  const { failures, ...repairs } = await reconcile(ports, deadline);
  for (const { batchId, error } of failures) logRepairFailure(batchId, error);
  log('info', 'reconciled', { ...repairs, failures: failures.length });
  if (failures.length > 0) throw new Error(`${failures.length} repairs failed`);
}

function reconcilePorts(): ReconcilePorts {
  const env = environment(
    'TABLE_NAME',
    'WORK_BUCKET',
    'STATE_MACHINE_ARN',
    'WEBHOOK_QUEUE_URL',
    'DEADLINE_HOURS',
  );
  const table = openTable(env.TABLE_NAME);
  const batches = dynamoBatchStore(table);
  const timer = sqsDeliveryTimer(new SQSClient({ ...CLIENT_OPTIONS }), env.WEBHOOK_QUEUE_URL);
  const jobs = dynamoJobStore(table);
  const finishing = {
    batches,
    jobs,
    jobRequests: s3JobRequests(new S3Client({ ...CLIENT_OPTIONS }), env.WORK_BUCKET),
    timer,
    clock: table.clock,
    onDeliveryLeft: logFailure('delivery-left'),
  };
  return {
    batches,
    jobs,
    // `DescribeExecution` takes 15 a second after a burst of 300 (Step Functions quota).
    runner: stepFunctionsBatchRunner(
      env.STATE_MACHINE_ARN,
      new SFNClient({ ...CLIENT_OPTIONS, retryMode: 'adaptive', maxAttempts: 6 }),
    ),
    finish: (batchId, unfinished) => finishBatch(finishing, batchId, unfinished),
    outbox: dynamoOutboxStore(table),
    timer,
    clock: table.clock,
    deadlineHours: env.DEADLINE_HOURS,
  };
}
