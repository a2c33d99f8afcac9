import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { RecentTimes } from '../../lambdas/domain/admission/batch-times.ts';
import {
  type BatchRunner,
  type RunInput,
  toCopyRunInput,
  toRunInput,
} from '../../lambdas/domain/batch/batch.ts';
import { endRun } from '../../lambdas/domain/batch/end-run.ts';
import { type FinishBatchPorts, finishBatch } from '../../lambdas/domain/batch/finish-batch.ts';
import {
  type CopyResultsPorts,
  copyMissing,
  copyResult,
} from '../../lambdas/domain/destination/copy-results.ts';
import { recordEndedRun } from '../../lambdas/domain/destination/copy-status.ts';
import { type DispatchPorts, dispatchQueue } from '../../lambdas/domain/dispatch/dispatch.ts';
import {
  type BatchId,
  formatCopyRunName,
  formatRunName,
  parseRunName,
} from '../../lambdas/domain/identity.ts';
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
import { observeBatches } from '../../lambdas/observability/log.ts';
import type { BatchSteps } from '../../lib/batch-definition.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import { withRuns } from '../in-memory/ports.ts';
import { ExecutionStopped, runStateMachine, TaskFailure, toTaskFailure } from '../state-machine.ts';

type JobPorts = PlanJobPorts &
  PredictPatchBatchPorts &
  FailPatchBatchPorts &
  CompleteJobPorts &
  FinishJobPorts &
  CopyResultsPorts;

/** The input of every step, as the state machine builds it. Each step reads the fields that it needs. */
export interface PipelineStepInput {
  readonly batch_id: BatchId;
  readonly job_index: number;
  readonly patch_batches: readonly number[];
  readonly error: StepError | null;
  readonly step: 'copy-result' | 'copy-missing';
}

/**
 * A job's steps by name. Given the same input, each does what its handler in `lambdas/pipeline` does, but without AWS.
 */
export const JOB_STEPS = {
  planJob: async (ports, { batch_id, job_index }) => {
    const { batches, knownBatch } = observeBatches(ports.batches);
    const planning = await planJob({ ...ports, batches }, batch_id, job_index);
    const shares = planning.kind === 'planned' ? planning.shares : [];
    return { shares, tenant: knownBatch(batch_id)?.tenant ?? null };
  },

  predictPatchBatch: async (ports, { batch_id, job_index, patch_batches }) => {
    for (const idx of patch_batches) await predictPatchBatch(ports, batch_id, job_index, idx);
    return {};
  },

  failPatchBatch: async (ports, { batch_id, job_index, patch_batches, error }) => {
    const failure = error ?? { Error: 'none' };
    for (const idx of patch_batches) await failPatchBatch(ports, batch_id, job_index, idx, failure);
    return {};
  },

  assembleRaster: (ports, { batch_id, job_index }) => completeJob(ports, batch_id, job_index),

  finishJob: (ports, { batch_id, job_index, error }) =>
    finishJob(ports, batch_id, job_index, error),

  copyResults: async (ports, { batch_id, job_index, step }) => {
    if (step === 'copy-result') return copyResult(ports, batch_id, job_index);
    return { more: (await copyMissing(ports, batch_id)).kind === 'cut-short' };
  },
} as const satisfies Omit<
  BatchSteps<(ports: JobPorts, input: PipelineStepInput) => Promise<object>>,
  'finishBatch'
>;

type PipelinePorts = JobPorts &
  FinishBatchPorts &
  Omit<DispatchPorts, 'runner'> & {
    readonly recentTimes: RecentTimes;
    readonly onFault: (batchId: BatchId, error: unknown) => void;
  };

interface Run {
  state: 'running' | 'ended';
  isStopped: boolean;
}

/**
 * Runs batches in this process with the deployed state machine but without retries, so that faults appear immediately.
 */
export function inProcessRunner(
  ports: PipelinePorts,
  concurrency: StageConfig['concurrency'],
): BatchRunner {
  const { onFault } = ports;
  const runs = new Map<string, Run>();
  const runner: BatchRunner = {
    start: async (run, restarts = 0) =>
      startNamed(formatRunName(run.batch_id, restarts), toRunInput(run)),
    startCopies: async (batchId, request) =>
      startNamed(formatCopyRunName(batchId, request), toCopyRunInput(batchId)),
    state: async (name) => runs.get(name)?.state ?? 'absent',
    async stop(batchId, restarts) {
      const run = runs.get(formatRunName(batchId, restarts));
      if (run === undefined) return 'absent';
      run.isStopped = true;
      return 'stopped';
    },
  };
  const dispatching = { ...ports, runner };

  function startNamed(name: string, input: RunInput): void {
    if (runs.has(name)) return;
    const run: Run = { state: 'running', isStopped: false };
    runs.set(name, run);
    execute(input, run)
      .catch(async (error: unknown) => {
        // On AWS, the reconciler finishes a batch whose execution was stopped.
        if (error instanceof ExecutionStopped) await finishBatch(ports, input.batch_id);
        // The failure of a step was reported when it occurred.
        else if (!(error instanceof TaskFailure)) throw error;
        const named = parseRunName(name);
        if (named !== null) await recordEndedRun(ports, named);
      })
      .then(() => dispatchQueue(dispatching))
      .catch((error: unknown) => onFault(input.batch_id, error))
      .finally(() => {
        run.state = 'ended';
      });
  }

  async function execute(input: RunInput, run: Run): Promise<void> {
    const { batch_id: batchId } = input;
    // The CDK is slow to load, so it is loaded with the first batch.
    const { batchDefinitionOf } = await import('./batch-definition.ts');
    const definition = batchDefinitionOf(Object.keys(STEPS), concurrency);
    await runStateMachine(definition, input, {
      wait: null,
      async task(arn, payload) {
        await yieldToRequests();
        if (run.isStopped) throw new ExecutionStopped(batchId);
        const step = STEPS[arn.split(':').at(-1) as keyof typeof STEPS];
        try {
          return { ...(await step(dispatching, payload as unknown as PipelineStepInput)) };
        } catch (error) {
          onFault(batchId, error);
          throw toTaskFailure(error);
        }
      },
    });
  }
  return runner;
}

const STEPS = {
  ...JOB_STEPS,
  finishBatch: (ports, { batch_id }) =>
    endRun(
      {
        ...withRuns(ports),
        dispatching: ports,
        publishing: null,
        onFollowUpFailure: (_, error) => ports.onFault(batch_id, error),
      },
      batch_id,
    ),
} satisfies BatchSteps<
  (ports: PipelinePorts & DispatchPorts, input: PipelineStepInput) => Promise<object>
>;
