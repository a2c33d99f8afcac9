import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { RecentTimes } from '../../lambdas/domain/admission/batch-times.ts';
import type { BatchRunner } from '../../lambdas/domain/batch/batch.ts';
import { type FinishBatchPorts, finishBatch } from '../../lambdas/domain/batch/finish-batch.ts';
import { type BatchId, runNameOf } from '../../lambdas/domain/identity.ts';
import {
  type CompleteJobPorts,
  completeJob,
} from '../../lambdas/domain/job/finishing/complete-job.ts';
import { type FinishJobPorts, finishJob } from '../../lambdas/domain/job/finishing/finish-job.ts';
import { type PlanJobPorts, planJob } from '../../lambdas/domain/job/planning/plan-job.ts';
import {
  type FailPatchBatchPorts,
  failPatchBatch,
} from '../../lambdas/domain/patch-batch/fail-patch-batch.ts';
import {
  type PredictPatchBatchPorts,
  predictPatchBatch,
} from '../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import type { StepError } from '../../lambdas/domain/step-failure.ts';

export type PipelinePorts = PlanJobPorts &
  PredictPatchBatchPorts &
  FailPatchBatchPorts &
  CompleteJobPorts &
  FinishJobPorts &
  FinishBatchPorts & { readonly recentTimes: RecentTimes };

interface Run {
  state: 'running' | 'ended';
  isStopped: boolean;
}

/**
 * Runs batches in this process, with the steps of `lib/batch-definition.ts` but without retries, so that
 * a fault appears immediately.
 * @param onEnded called when a batch is final
 */
export function inProcessRunner(
  ports: PipelinePorts,
  onEnded: (batchId: BatchId) => Promise<void>,
  onFault: (batchId: BatchId, error: unknown) => void,
): BatchRunner {
  const runs = new Map<string, Run>();
  return {
    async start(batchId, totalJobs, restarts = 0) {
      const name = runNameOf(batchId, restarts);
      if (runs.has(name)) return;
      const run: Run = { state: 'running', isStopped: false };
      runs.set(name, run);
      runBatch(ports, batchId, totalJobs, run, onFault)
        .then(() => onEnded(batchId))
        .catch((error: unknown) => onFault(batchId, error))
        .finally(() => {
          run.state = 'ended';
        });
    },
    state: async (batchId, restarts = 0) =>
      runs.get(runNameOf(batchId, restarts))?.state ?? 'absent',
    async stop(batchId, restarts) {
      const run = runs.get(runNameOf(batchId, restarts));
      if (run !== undefined) run.isStopped = true;
    },
  };
}

type OnFault = (batchId: BatchId, error: unknown) => void;

async function runBatch(
  ports: PipelinePorts,
  batchId: BatchId,
  totalJobs: number,
  run: Run,
  onFault: OnFault,
): Promise<void> {
  for (let index = 0; index < totalJobs; index++) {
    await yieldToRequests();
    if (run.isStopped) return;
    await runJob(ports, batchId, index, run, onFault);
  }
  if (run.isStopped) return;
  const finish = await finishBatch(ports, batchId);
  if (finish.kind === 'finished' && finish.times !== null) {
    await ports.recentTimes.add(finish.times);
  }
}

async function runJob(
  ports: PipelinePorts,
  batchId: BatchId,
  index: number,
  run: Run,
  onFault: OnFault,
): Promise<void> {
  try {
    const planning = await planJob(ports, batchId, index);
    const patchBatches = planning.kind === 'planned' ? planning.shares.flat() : [];
    for (const idx of patchBatches) {
      await yieldToRequests();
      if (run.isStopped) return;
      await predict(ports, batchId, index, idx, onFault);
    }
    await completeJob(ports, batchId, index);
  } catch (error) {
    onFault(batchId, error);
    await finishJob(ports, batchId, index, stepErrorOf(error));
  }
}

async function predict(
  ports: PipelinePorts,
  batchId: BatchId,
  index: number,
  idx: number,
  onFault: OnFault,
): Promise<void> {
  try {
    await predictPatchBatch(ports, batchId, index, idx);
  } catch (error) {
    onFault(batchId, error);
    await failPatchBatch(ports, batchId, index, idx, stepErrorOf(error));
  }
}

/** The error in the form that Step Functions passes to a Catch. */
function stepErrorOf(error: unknown): StepError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { Error: name, Cause: JSON.stringify({ errorType: name, errorMessage: message }) };
}
