import { type Clock, timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { JobStore } from '../job/job-store.ts';
import { type Batch, isFinal } from './batch.ts';
import type { BatchRunner, BatchStore } from './batch-store.ts';
import { batchView } from './batch-view.ts';
import { ownedBatch } from './owned-batch.ts';
import { CANCELLED } from './termination-errors.ts';

export interface CancelBatchPorts {
  readonly batches: Pick<BatchStore, 'read' | 'readMetadata' | 'requestCancel'>;
  readonly jobs: Pick<JobStore, 'list'>;
  readonly runner: Pick<BatchRunner, 'stop'>;
  /** Fails what is not final, counts, and finishes the batch with its event. */
  readonly finish: (batchId: BatchId) => Promise<unknown>;
  readonly clock: Clock;
  /** Called for what was left to the reconciler, which finishes every batch that is to be cancelled. */
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
 * Ends a batch before its time. The request is written first: from then on nobody begins the run
 * anew, no further job is planned, and whoever finishes the batch fails what is left as cancelled.
 */
export async function cancelBatch(
  ports: CancelBatchPorts,
  tenant: string,
  batchId: string,
): Promise<Cancellation> {
  const before = await ownedBatch(ports, tenant, batchId);
  if (before === null) return { kind: 'unknown' };
  const requested = await ports.batches.requestCancel(before.batchId, timestamp(ports.clock()));
  if (requested === 'unchanged') return alreadyFinal(ports, before);

  const batch = (await ports.batches.read(before.batchId)) ?? before;
  await leaving(ports, batch, () =>
    ports.runner.stop(batch.batchId, batch.restarts ?? 0, CANCELLED.code),
  );
  await leaving(ports, batch, () => ports.finish(batch.batchId));
  return accepted(ports, batch);
}

async function alreadyFinal(ports: CancelBatchPorts, before: Batch): Promise<Cancellation> {
  const batch = await ports.batches.read(before.batchId);
  return batch === null ? { kind: 'unknown' } : { kind: 'already-final', batch };
}

async function leaving(
  { onLeft }: CancelBatchPorts,
  { batchId }: Batch,
  what: () => Promise<unknown>,
): Promise<void> {
  try {
    await what();
  } catch (error) {
    onLeft(batchId, error);
  }
}

async function accepted(ports: CancelBatchPorts, before: Batch): Promise<Cancellation> {
  const { batchId } = before;
  // The batch first, as in every status: a final batch's jobs, read after it, are final too.
  const batch = (await ports.batches.read(batchId)) ?? before;
  const [records, metadata] = await Promise.all([
    ports.jobs.list(batchId),
    ports.batches.readMetadata(batchId),
  ]);
  const view = batchView(batch, records, metadata, timestamp(ports.clock()));
  return { kind: 'accepted', view, finished: isFinal(batch.state) };
}
