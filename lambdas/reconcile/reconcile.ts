import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { stepFunctionsBatchRunner } from '../adapters/batch-runner.ts';
import { stepFunctionsClient } from '../adapters/clients.ts';
import { env } from '../adapters/environment.ts';
import { dispatchAfterEnd, dispatchQueue } from '../domain/dispatch/dispatch.ts';
import { parseRunName } from '../domain/identity.ts';
import {
  type ReconcilePorts,
  type Reconciliation,
  reconcile,
} from '../domain/reconcile/reconcile.ts';
import { reconcileRun } from '../domain/reconcile/reconcile-batch.ts';
import { countRunning, type RunningCounts } from '../domain/reconcile/running-counts.ts';
import { finishAndReport } from '../finish-and-report.ts';
import { log, logFailure } from '../observability/log.ts';
import { logRunning } from '../observability/log-running.ts';
import { METRICS } from '../observability/metric-catalogue.ts';
import { measure } from '../observability/metrics.ts';
import { deliveryQueue, dispatchPorts, publishPorts, stores } from '../wiring.ts';

/** EventBridge event about an execution that failed, timed out or was aborted. */
const executionChange = z.object({
  source: z.literal('aws.states'),
  detail: z.object({ name: z.string(), status: z.string() }),
});

// `DescribeExecution` allows 10 calls per second after a burst of 250, and more in the largest Regions (Step Functions
// quotas), so the client adapts its rate.
const runner = stepFunctionsBatchRunner(
  env.STATE_MACHINE_ARN,
  stepFunctionsClient({ retryMode: 'adaptive', maxAttempts: 6 }),
);
const dispatching = dispatchPorts(runner);
const ports: ReconcilePorts = {
  ...stores(),
  runner,
  dispatch: (isLate) => dispatchQueue(dispatching, ROUNDS_PER_RUN, isLate),
  finishAndReport,
  onRunning: logRunning(stores().clock),
  deliveryQueue: deliveryQueue(),
  deadlineHours: env.DEADLINE_HOURS,
  publishing: publishPorts(),
};

const logRepairFailure = logFailure('repair');
const logEventFailure = logFailure('event-left');

/** Reserved at the end of the invocation for repairs that have begun. */
const MARGIN_MS = 15_000;

const ROUNDS_PER_RUN = 200;

/** Runs every minute, and when the execution of a batch fails, times out or is aborted. */
export async function handler(event: unknown, context: Context): Promise<void> {
  const startedAt = performance.now();
  const change = executionChange.safeParse(event);
  if (change.success) return reconcileChange(change.data.detail, startedAt);
  return reconcileAll(context, startedAt);
}

async function reconcileChange(
  { name, status }: z.infer<typeof executionChange>['detail'],
  startedAt: number,
): Promise<void> {
  const run = parseRunName(name);
  if (run === null) return;
  const { batchId } = run;
  const repair = await reconcileRun(ports, run);
  if (repair !== 'none' && repair !== 'cancelled') measure('ReconcilerFinds', 1, repair);
  log('info', 'reconciled', {
    batch_id: batchId,
    run: name,
    status,
    repair,
    outcome: 'ok',
    duration_ms: Math.round(performance.now() - startedAt),
  });
  // If the batch has ended, its slot is free for another batch.
  await dispatchAfterEnd(dispatching, batchId, logFailure('dispatch-left'));
}

async function reconcileAll(context: Context, startedAt: number): Promise<void> {
  const deadline = new Date(Date.now() + context.getRemainingTimeInMillis() - MARGIN_MS);
  const reconciliation = await reconcile(ports, deadline);
  const { failures, unpublished, cutShort, ...repairs } = reconciliation;
  for (const { batchId, error } of failures) logRepairFailure(batchId ?? 'none', error);
  for (const { batchId, error } of unpublished) logEventFailure(batchId ?? 'none', error);
  // Repairs are measured before batches are counted, so that they are measured even if counting fails.
  measureRepairs(reconciliation);
  const duration = Math.round(performance.now() - startedAt);
  const counts = await countRunning(ports);
  log('info', 'reconciled', {
    ...repairs,
    cut_short: cutShort,
    failures: failures.length,
    unpublished: unpublished.length,
    pending: counts.pending,
    processing: counts.processing,
    oldest_running_seconds: counts.oldestRunningSeconds,
    oldest_queued_seconds: counts.oldestQueuedSeconds,
    undelivered: counts.undelivered,
    outcome: failures.length === 0 ? 'ok' : 'failed',
    duration_ms: duration,
  });
  measureRunning(counts);
  measure('ReconcilerRuns', 1);
  if (failures.length > 0) throw new Error(`failed repairs: ${failures.length}`);
}

function measureRunning(counts: RunningCounts): void {
  measure('UnfinishedBatches', counts.pending, 'pending');
  measure('UnfinishedBatches', counts.processing, 'processing');
  measure('OldestUnfinishedBatch', counts.oldestRunningSeconds, 'running');
  measure('OldestUnfinishedBatch', counts.oldestQueuedSeconds, 'queued');
}

/** Measures repairs, but not cancellations that clients requested. */
function measureRepairs({ failures, unpublished, ...repairs }: Reconciliation): void {
  const found = { ...repairs, failed: failures.length, unpublished: unpublished.length };
  for (const repair of METRICS.ReconcilerFinds.values) {
    if (found[repair] > 0) measure('ReconcilerFinds', found[repair], repair);
  }
}
