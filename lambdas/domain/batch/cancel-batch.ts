import { type Clock, timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { JobStore } from '../job/job.ts';
import { type Batch, type BatchRunner, type BatchStore, isFinal } from './batch.ts';
import { readCountedJobs } from './batch-progress.ts';
import { batchView } from './batch-view.ts';
import { readOwnedBatch } from './owned-batch.ts';
import { CANCELLED } from './termination-errors.ts';

export interface CancelBatchPorts {
  readonly batches: Pick<BatchStore, 'readBatch' | 'readMetadata' | 'requestCancel'>;
  readonly jobs: Pick<JobStore, 'listCounted'>;
  readonly runner: Pick<BatchRunner, 'stop'>;
  /** Fails the jobs that are not final, and finishes the batch with its event. */
  readonly finishAndReport: (batchId: BatchId) => Promise<unknown>;
  readonly clock: Clock;
  /** Called when a step failed; the reconciler finishes every batch whose cancellation was requested. */
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
 * Cancels a batch. The request is written first: from then onwards the run is not restarted, no further job
 * is planned, and whichever function finishes the batch fails the remaining jobs as cancelled.
 */
export async function cancelBatch(
  ports: CancelBatchPorts,
  tenant: string,
  batchId: string,
): Promise<Cancellation> {
  const before = await readOwnedBatch(ports, tenant, batchId);
  if (before === null) return { kind: 'unknown' };
  const requested = await ports.batches.requestCancel(before.batch_id, timestamp(ports.clock()));
  if (requested === 'unchanged') return alreadyFinal(ports, before);

  const batch = (await ports.batches.readBatch(before.batch_id)) ?? before;
  await orLeave(ports, batch, () =>
    ports.runner.stop(batch.batch_id, batch.restarts ?? 0, CANCELLED.code),
  );
  await orLeave(ports, batch, () => ports.finishAndReport(batch.batch_id));
  return accepted(ports, batch);
}

async function alreadyFinal(ports: CancelBatchPorts, before: Batch): Promise<Cancellation> {
  const batch = await ports.batches.readBatch(before.batch_id);
  return batch === null ? { kind: 'unknown' } : { kind: 'already-final', batch };
}

async function orLeave(
  { onLeft }: CancelBatchPorts,
  { batch_id: batchId }: Batch,
  step: () => Promise<unknown>,
): Promise<void> {
  try {
    await step();
  } catch (error) {
    onLeft(batchId, error);
  }
}

async function accepted(ports: CancelBatchPorts, before: Batch): Promise<Cancellation> {
  const { batch_id: batchId } = before;
  const batch = (await ports.batches.readBatch(batchId)) ?? before;
  const [records, metadata] = await Promise.all([
    readCountedJobs(ports.jobs, batch),
    ports.batches.readMetadata(batchId),
  ]);
  const view = batchView(batch, records, metadata, timestamp(ports.clock()), null);
  return { kind: 'accepted', view, finished: isFinal(batch) };
}
