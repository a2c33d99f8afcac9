import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { dynamoDbClient, s3Client, sqsClient, stepFunctionsClient } from '../adapters/clients.ts';
import { dispatchPorts } from '../adapters/dispatch-ports.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { dynamoOutboxStore } from '../adapters/dynamodb/outbox.ts';
import { dynamoScanPositions } from '../adapters/dynamodb/scan-positions.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { env } from '../adapters/environment/env.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import { s3RasterCleanup } from '../adapters/s3/raster-cleanup.ts';
import { sdkObjects } from '../adapters/s3/sdk-objects.ts';
import { sqsDeliveryTimer } from '../adapters/sqs/delivery-timer.ts';
import { stepFunctionsBatchRunner } from '../adapters/step-functions/batch-runner.ts';
import { finishBatch } from '../domain/batch/finish-batch.ts';
import { batchOfRun } from '../domain/batch/run-name.ts';
import { type RunningSummary, summarizeRunning } from '../domain/dashboard/running-summary.ts';
import { dispatch, dispatchNext } from '../domain/dispatch/dispatch.ts';
import {
  type ReconcilePorts,
  type Reconciliation,
  reconcile,
} from '../domain/reconcile/reconcile.ts';
import { reconcileBatch } from '../domain/reconcile/reconcile-batch.ts';
import { log, logFailure } from '../observability/log.ts';
import { measureFinish } from '../observability/measure-finish.ts';
import { measure } from '../observability/metrics.ts';

/** EventBridge tells that an execution changed; executions of batches are named by them. */
const executionChange = z.object({
  source: z.literal('aws.states'),
  detail: z.object({ name: z.string(), status: z.string() }),
});

const variables = env('reconcile/reconcile');
const table = openTable(variables.TABLE_NAME, dynamoDbClient());
// `DescribeExecution` takes 10 a second after a burst of 250, in the largest regions more (Step Functions quota).
const runner = stepFunctionsBatchRunner(
  variables.STATE_MACHINE_ARN,
  stepFunctionsClient({ retryMode: 'adaptive', maxAttempts: 6 }),
);
const dispatching = dispatchPorts(table, variables, runner, logFailure('start-batch'));
const ports = reconcilePorts();

const logRepairFailure = logFailure('repair');

/** Before the invocation's end: the longest repair, finishing a batch of a thousand jobs. */
const MARGIN_MS = 15_000;

/** Of dispatch: each starts a batch that waits, or clears ten from the line that wait no more. */
const ROUNDS_A_RUN = 200;

/** Every minute for everything, and at once for a batch whose execution has changed. */
export async function handler(event: unknown, context: Context): Promise<void> {
  const startedAt = performance.now();
  const change = executionChange.safeParse(event);
  if (change.success) {
    const { name, status } = change.data.detail;
    const batchId = batchOfRun(name);
    if (batchId === null) return;
    const repair = await reconcileBatch(ports, batchId);
    if (repair !== 'none') measure('ReconcilerFinds', 1, repair);
    const duration = Math.round(performance.now() - startedAt);
    const told = { run: name, status, repair };
    log('info', 'reconciled', { batch_id: batchId, ...told, outcome: 'ok', duration_ms: duration });
    // A run that was stopped has left its batch's slot to another.
    await dispatchNext(dispatching, batchId, logFailure('dispatch-left'));
    return;
  }
  const deadline = new Date(Date.now() + context.getRemainingTimeInMillis() - MARGIN_MS);
  const reconciliation = await reconcile(ports, deadline);
  const { failures, cutShort, ...repairs } = reconciliation;
  for (const { batchId, error } of failures) logRepairFailure(batchId ?? 'none', error);
  // Before the census, which may fail: what was mended is told all the same. The run itself is not.
  measureFinds(reconciliation);
  const duration = Math.round(performance.now() - startedAt);
  const census = await summarizeRunning(ports);
  log('info', 'reconciled', {
    ...repairs,
    cut_short: cutShort,
    failures: failures.length,
    pending: census.pending,
    processing: census.processing,
    oldest_seconds: census.oldestSeconds,
    undelivered: census.undelivered,
    outcome: failures.length === 0 ? 'ok' : 'failed',
    duration_ms: duration,
  });
  measureSummary(census);
  measure('ReconcilerRuns', 1);
  if (failures.length > 0) throw new Error(`${failures.length} repairs failed`);
}

function measureSummary({ pending, processing, oldestSeconds, undelivered }: RunningSummary): void {
  measure('UnfinishedBatches', pending, 'pending');
  measure('UnfinishedBatches', processing, 'processing');
  measure('OldestUnfinishedBatch', oldestSeconds);
  measure('UndeliveredWebhooks', undelivered);
}

/** What was found every minute is news; that nothing was is said by the run itself. */
function measureFinds({ failures, ...repairs }: Reconciliation): void {
  for (const repair of [
    'started',
    'restarted',
    'finished',
    'scheduled',
    'joined',
    'freed',
  ] as const) {
    if (repairs[repair] > 0) measure('ReconcilerFinds', repairs[repair], repair);
  }
  if (failures.length > 0) measure('ReconcilerFinds', failures.length, 'failed');
}

function reconcilePorts(): ReconcilePorts {
  const batches = dynamoBatchStore(table);
  const timer = sqsDeliveryTimer(sqsClient(), variables.WEBHOOK_QUEUE_URL);
  const jobs = dynamoJobStore(table);
  const finishing = {
    batches,
    jobs,
    jobRequests: s3JobRequests(sdkObjects(s3Client(), variables.WORK_BUCKET)),
    rasters: s3RasterCleanup(variables.RESULTS_BUCKET),
    timer,
    clock: table.clock,
    onAttemptNotQueued: logFailure('delivery-left'),
  };
  const pricing = { memory: variables.MEMORY_MB, region: variables.AWS_REGION };
  return {
    batches,
    jobs,
    runner,
    slots: dispatching.slots,
    batchQueue: dispatching.batchQueue,
    scanPositions: dynamoScanPositions(table),
    dispatch: (isLate) => dispatch(dispatching, ROUNDS_A_RUN, isLate),
    finish: async (batchId, unfinished) =>
      measureFinish(await finishBatch(finishing, batchId, unfinished), pricing),
    outbox: dynamoOutboxStore(table),
    timer,
    clock: table.clock,
    deadlineHours: variables.DEADLINE_HOURS,
  };
}
