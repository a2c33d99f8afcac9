import type { BatchStore } from '../batch/batch-store.ts';
import type { Clock } from '../clock.ts';
import { ownedJob } from '../job/owned-job.ts';
import type { PatchBatchStore } from './patch-batch-store.ts';
import { type PatchBatchView, patchBatchView } from './patch-batch-view.ts';

export interface ReadPatchBatchPorts {
  readonly batches: Pick<BatchStore, 'read'>;
  readonly patchBatches: Pick<PatchBatchStore, 'readPlan' | 'read'>;
  readonly clock: Clock;
}

export type PatchBatchReading =
  | { readonly kind: 'batch-unknown' }
  | { readonly kind: 'job-unknown' }
  /** `total` is null while the job is not planned. */
  | { readonly kind: 'patch-batch-unknown'; readonly total: number | null }
  | { readonly kind: 'patch-batch'; readonly patchBatch: PatchBatchView };

export async function readPatchBatch(
  ports: ReadPatchBatchPorts,
  tenant: string,
  batchId: string,
  jobId: string,
  idx: number,
): Promise<PatchBatchReading> {
  const found = await ownedJob(ports, tenant, batchId, jobId);
  if (found.kind !== 'found') return found;
  const { batch, jobIndex } = found;
  const [plan, record] = await Promise.all([
    ports.patchBatches.readPlan(batch.batchId, jobIndex),
    ports.patchBatches.read(batch.batchId, jobIndex, idx),
  ]);
  const block = plan?.blocks.find((candidate) => candidate.idx === idx);
  if (block === undefined) {
    return { kind: 'patch-batch-unknown', total: plan?.blocks.length ?? null };
  }
  return { kind: 'patch-batch', patchBatch: patchBatchView(block, record) };
}
