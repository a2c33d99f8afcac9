import { type Clock, timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { JobStore } from '../job/job.ts';
import { type Batch, type BatchRunner, type BatchStore, isFinal, toRun } from './batch.ts';
import { readCountedJobs } from './batch-progress.ts';
import { batchView } from './batch-view.ts';
import { readOwnedBatch } from './owned-batch.ts';
import { CANCELLED } from './termination-errors.ts';

export interface CancelBatchPorts {
  readonly batches: Pick<BatchStore, 'readBatch' | 'readMetadata' | 'requestCancel'>;
  readonly jobs: Pick<JobStore, 'listCounted'>;
  readonly runner: Pick<BatchRunner, 'start' | 'stop'>;
  readonly clock: Clock;
  /** Called when the run could not be stopped. The reconciler finishes the batch within minutes. */
  readonly onLeft: (batchId: BatchId, error: unknown) => void;
}

export type Cancellation =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'already-final'; readonly batch: Batch }
  | {
      readonly kind: 'accepted';
      readonly view: ReturnType<typeof batchView>;
      readonly finished: boolean;
    };

/**
 * Cancels a batch without writing to its jobs. The request is written first: from then on the run is not restarted, no
 * further planning begins, and whichever function finishes the batch fails the remaining jobs as cancelled. The end of
 * the run makes the reconciler finish the batch.
 */
export async function cancelBatch(
  ports: CancelBatchPorts,
  tenant: string,
  batchId: string,
): Promise<Cancellation> {
  const before = await readOwnedBatch(ports, tenant, batchId);
  if (before === null) return { kind: 'unknown' };
  const requested = await ports.batches.requestCancel(before.batch_id, timestamp(ports.clock()));
  if (requested === 'unchanged') return readFinalBatch(ports, before);

  const batch = (await ports.batches.readBatch(before.batch_id)) ?? before;
  await stopRun(ports, batch).catch((error: unknown) => ports.onLeft(batch.batch_id, error));
  return readAcceptedBatch(ports, batch);
}

async function readFinalBatch(ports: CancelBatchPorts, before: Batch): Promise<Cancellation> {
  const batch = await ports.batches.readBatch(before.batch_id);
  return batch === null ? { kind: 'unknown' } : { kind: 'already-final', batch };
}

/**
 * Stops the run. A queued batch has no run whose end could be noticed, so it gets one that ends immediately. If this
 * process dies before it stops that run, the run's steps plan nothing and its last step finishes the batch.
 */
async function stopRun({ runner }: CancelBatchPorts, batch: Batch): Promise<void> {
  if (isFinal(batch)) return;
  const { batch_id: batchId, restarts = 0 } = batch;
  const stop = () => runner.stop(batchId, restarts, CANCELLED.code);
  if ((await stop()) === 'stopped') return;
  await runner.start(toRun(batch), restarts);
  await stop();
}

async function readAcceptedBatch(ports: CancelBatchPorts, batch: Batch): Promise<Cancellation> {
  const [records, metadata] = await Promise.all([
    readCountedJobs(ports.jobs, batch),
    ports.batches.readMetadata(batch.batch_id),
  ]);
  const view = batchView(batch, records, metadata, timestamp(ports.clock()), null);
  return { kind: 'accepted', view, finished: isFinal(batch) };
}
