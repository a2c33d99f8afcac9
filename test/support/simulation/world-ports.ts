import { listCovariateFiles } from '../../../engine/model/covariates/covariate-files.ts';
import type { CancelBatchPorts } from '../../../lambdas/domain/batch/cancel-batch.ts';
import type { CreateBatchPorts } from '../../../lambdas/domain/batch/create-batch.ts';
import type { FinishBatchPorts } from '../../../lambdas/domain/batch/finish-batch.ts';
import type { DeliveryPorts } from '../../../lambdas/domain/delivery/deliver.ts';
import type {
  EventBus,
  PublishEventPorts,
} from '../../../lambdas/domain/delivery/publish-event.ts';
import type { RedeliveryPorts } from '../../../lambdas/domain/delivery/redelivery.ts';
import type { DispatchPorts } from '../../../lambdas/domain/dispatch/dispatch.ts';
import type { RunningLimits } from '../../../lambdas/domain/dispatch/slots.ts';
import type { AssembleRasterPorts } from '../../../lambdas/domain/job/finishing/complete-job.ts';
import type { FinishJobPorts } from '../../../lambdas/domain/job/finishing/finish-job.ts';
import type { PlanJobPorts } from '../../../lambdas/domain/job/planning/plan-job.ts';
import type { FailPatchBatchPorts } from '../../../lambdas/domain/patch-batch/fail-patch-batch.ts';
import type { PredictPatchBatchPorts } from '../../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import type { ReconcilePorts } from '../../../lambdas/domain/reconcile/reconcile.ts';
import {
  inMemoryDeliveryBodies,
  inMemoryPredictionErrors,
  inMemoryRequests,
} from '../../../local/in-memory/files.ts';
import type { RasterFiles } from '../../../local/in-memory/rasters.ts';
import type { Executions } from './executions.ts';
import type { Queue } from './queue.ts';
import type { RecordingReceiver } from './recording-receiver.ts';
import { countingSigner, type Results } from './results.ts';
import { catalogue } from './small-pack.ts';
import { UNREADABLE_JOB } from './step-input.ts';
import type { Storage } from './storage.ts';
import type { VirtualTime } from './time.ts';

/** The ports of every step. */
export type WorldPorts = Omit<FinishBatchPorts, 'rasters'> &
  DeliveryPorts &
  Omit<AssembleRasterPorts, 'rasters'> &
  Omit<FinishJobPorts, 'rasters'> &
  PlanJobPorts &
  FailPatchBatchPorts &
  PredictPatchBatchPorts &
  Omit<ReconcilePorts, 'finish' | 'dispatch' | 'publishing'> &
  PublishEventPorts &
  DispatchPorts &
  Omit<CancelBatchPorts, 'finish'> &
  RedeliveryPorts & {
    readonly rasters: RasterFiles;
    /** Ports that only the creation of a batch uses. */
    readonly creating: Omit<
      CreateBatchPorts,
      'batches' | 'jobRequests' | 'dispatch' | 'clock' | 'tenants'
    >;
  };

export interface WorldParts {
  readonly time: VirtualTime;
  readonly storage: Storage;
  readonly queue: Queue;
  readonly executions: Executions;
  readonly receiver: RecordingReceiver;
  readonly results: Results;
  readonly bus: EventBus;
}

/** One at a time, so that a second batch waits in the queue. */
export const RUNNING: RunningLimits = { inAll: 1, reserved: 0, perTenant: 1 };

export function worldPorts(parts: WorldParts): WorldPorts {
  const { time, storage, queue, executions, receiver, results, bus } = parts;
  const { batches, jobs, patchBatches, outbox, quotas, idempotencyKeys } = storage;
  const { busOutbox, slots, batchQueue, scanPositions } = storage;
  const secrets = {
    encrypt: async (secret: string) => Buffer.from(secret).toString('base64'),
    decrypt: async (ciphertext: string) => Buffer.from(ciphertext, 'base64').toString('utf8'),
  };
  return {
    batches,
    jobs,
    patchBatches,
    outbox,
    busOutbox,
    bus,
    publishesEvents: true,
    jobRequests: unreadableAt(UNREADABLE_JOB),
    blocks: results.blocks,
    rasters: results.files,
    ...inMemoryPredictionErrors(),
    catalogue,
    // The digests are the deployment's, so a file that is missing now does not matter.
    packDigests: async () => ({}),
    covariateFiles: listCovariateFiles,
    version: '1.2.3',
    runner: executions,
    slots,
    batchQueue,
    scanPositions,
    tenants: { find: async () => null },
    runningLimits: RUNNING,
    timer: queue.timer,
    deadLetters: queue.dead,
    receiver,
    signer: countingSigner(time.clock),
    secrets,
    bodies: inMemoryDeliveryBodies(),
    clock: time.clock,
    pause: async (seconds) => time.advance(seconds * 1_000),
    deadlineHours: 24,
    scheduleFactor: 1,
    onAttemptNotQueued: () => undefined,
    onStartFailure: () => undefined,
    onLeft: () => undefined,
    creating: {
      webhookSecrets: secrets,
      idempotencyKeys,
      quotas,
      catalogue: async () => catalogue,
      retentionDays: 30,
      onDispatchFailure: () => undefined,
    },
  };
}

function unreadableAt(index: number) {
  const requests = inMemoryRequests();
  return {
    ...requests,
    job: async (batchId: string, entry: Parameters<typeof requests.job>[1]) => {
      const entries = await requests.entries(batchId);
      if (entries[index]?.offset === entry.offset) throw new TypeError('unreadable request');
      return requests.job(batchId, entry);
    },
  };
}
