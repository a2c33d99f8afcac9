import { cancelBatch } from '../../../lambdas/domain/batch/cancel-batch.ts';
import { createBatch } from '../../../lambdas/domain/batch/create-batch.ts';
import { readCreationContext } from '../../../lambdas/domain/batch/creation-context.ts';
import { endRun } from '../../../lambdas/domain/batch/end-run.ts';
import { retryBatch } from '../../../lambdas/domain/batch/retry-batch.ts';
import { deliver } from '../../../lambdas/domain/delivery/deliver.ts';
import { redeliver } from '../../../lambdas/domain/delivery/redelivery.ts';
import { requestCopies } from '../../../lambdas/domain/destination/request-copies.ts';
import { dispatchAfterEnd, dispatchQueue } from '../../../lambdas/domain/dispatch/dispatch.ts';
import { reconcile } from '../../../lambdas/domain/reconcile/reconcile.ts';
import { reconcileRun } from '../../../lambdas/domain/reconcile/reconcile-batch.ts';
import { JOB_STEPS } from '../../../local/dev/pipeline.ts';
import { withRuns } from '../../../local/in-memory/ports.ts';
import { CREATION, type StepInput } from './step-input.ts';
import type { WorldPorts } from './world-ports.ts';

/** The step of the reconciler that EventBridge triggers when a run ends. */
export const RUN_ENDED = 'reconcile/reconcile: a run ended';

/** @returns the handler's file */
export function findHandler(step: string): string {
  return step.replace(/: .*/, '');
}

/**
 * The steps into which faults are injected, by their handler's file, with what each handler does with its input. A test
 * checks that every task of the state machine and every handler that changes state is listed. A handler that does
 * several things is listed once for each.
 */
export const STEPS = {
  'api/functions/creations': async (ports, { tenant, idempotency, creation = CREATION }) => {
    const creating = { ...withRuns(ports), catalogue: async () => ports.catalogue };
    const context = await readCreationContext(creating, tenant, idempotency?.key ?? null);
    return createBatch(creating, context, creation, idempotency);
  },

  'api/functions/batches: cancel': (ports, { tenant, batch_id }) =>
    cancelBatch(withRuns(ports), tenant, batch_id),

  'api/functions/creations: retry': (ports, { tenant, batch_id }) =>
    retryBatch(withRuns(ports), tenant, batch_id),

  'api/functions/creations: copy': (ports, { tenant, batch_id }) =>
    requestCopies(withRuns(ports), tenant, batch_id, async () => undefined),

  'api/functions/batches: redeliver': (ports, { tenant, batch_id }) =>
    redeliver(ports, tenant, batch_id),

  'pipeline/plan-job': JOB_STEPS.planJob,
  'pipeline/predict-patch-batch': JOB_STEPS.predictPatchBatch,
  'pipeline/fail-patch-batch': JOB_STEPS.failPatchBatch,
  'pipeline/assemble-raster': JOB_STEPS.assembleRaster,
  'pipeline/finish-job': JOB_STEPS.finishJob,
  'pipeline/copy-results': JOB_STEPS.copyResults,

  'pipeline/finish-batch': (ports, { batch_id }) => {
    const own = { dispatching: ports, publishing: ports, onFollowUpFailure: () => undefined };
    return endRun({ ...withRuns(ports), ...own }, batch_id);
  },

  'webhooks/deliver-webhook': (ports, { message, receivedBefore, deadline }) =>
    deliver(ports, { message, receivedBefore, deadline }),

  'reconcile/reconcile': async (ports, { deadline }) => {
    const own = { dispatch: () => dispatchQueue(ports), publishing: ports };
    const reconciling = { ...withRuns(ports), ...own };
    const { failures, ...repairs } = await reconcile(reconciling, deadline);
    // The handler also throws what it could not repair, and the next run tries again.
    if (failures.length > 0) throw failures[0]?.error;
    return repairs;
  },

  [RUN_ENDED]: async (ports, { batch_id, run }) => {
    const repair = await reconcileRun(withRuns(ports), run);
    await dispatchAfterEnd(ports, batch_id, () => undefined);
    return { repair };
  },
} as const satisfies Readonly<
  Record<string, (ports: WorldPorts, input: StepInput) => Promise<object>>
>;

export type StepName = keyof typeof STEPS;

/** @throws Error for a step that is not listed */
export function requireStep(name: string): StepName {
  if (!(name in STEPS)) throw new Error(`${name} is not in STEPS`);
  return name as StepName;
}

/** API handlers that never change a batch. */
export const CHANGE_NO_BATCH = [
  'api/functions/authorizer',
  'api/functions/open',
  'api/functions/test-webhook',
] as const;
