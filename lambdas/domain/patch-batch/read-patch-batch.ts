import type { BatchStore } from '../batch/batch-store.ts';
import type { Clock } from '../clock.ts';
import type { JobStore } from '../job/job-store.ts';
import { ownedJob } from '../job/reading/owned-job.ts';
import type { PatchBatchStore } from './patch-batch-store.ts';
import { type PatchBatchView, patchBatchView } from './patch-batch-view.ts';

export interface ReadPatchBatchPorts {
  readonly batches: Pick<BatchStore, 'read'>;
  readonly jobs: Pick<JobStore, 'read'>;
  readonly patchBatches: Pick<PatchBatchStore, 'readPlan' | 'read'>;
  readonly clock: Clock;
}

export type PatchBatchReading =
  | { readonly kind: 'batch-unknown' }
  | { readonly kind: 'job-unknown' }
  /** `total` is null until the job is planned. */
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
  // The job is read first: if it has failed, its patch-batches no longer change.
  const [job, plan] = await Promise.all([
    ports.jobs.read(batch.batchId, jobIndex),
    ports.patchBatches.readPlan(batch.batchId, jobIndex),
  ]);
  const block = plan?.blocks.find((candidate) => candidate.idx === idx);
  if (block === undefined) {
    return { kind: 'patch-batch-unknown', total: plan?.blocks.length ?? null };
  }
  const record = await ports.patchBatches.read(batch.batchId, jobIndex, idx);
  return { kind: 'patch-batch', patchBatch: patchBatchView(block, record, job?.state ?? null) };
}
