import * as z from 'zod/mini';
import type { PlannedBlock } from '#engine/raster/grid/plan.ts';
import { findOwnedJob, type OwnedBatchPorts } from '../batch/owned-batch.ts';
import type { JobRecord, JobStore } from '../job/job.ts';
import type { ViewOf } from '../wire.ts';
import { count, time, workState } from '../wire.ts';
import type { PatchBatchRecord, PatchBatchStore } from './patch-batch.ts';

export interface ReadPatchBatchPorts extends OwnedBatchPorts {
  readonly jobs: Pick<JobStore, 'read'>;
  readonly patchBatches: Pick<PatchBatchStore, 'readPlan' | 'readPatchBatch'>;
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
  const found = await findOwnedJob(ports, tenant, batchId, jobId);
  if (found.kind !== 'found') return found;
  const { batch, jobIndex } = found;
  // Read the job before the patch-batch: if the job has failed, its patch-batches no longer change.
  const [job, plan] = await Promise.all([
    ports.jobs.read(batch.batch_id, jobIndex),
    ports.patchBatches.readPlan(batch.batch_id, jobIndex),
  ]);
  const block = plan?.blocks.find((candidate) => candidate.idx === idx);
  if (block === undefined) {
    return { kind: 'patch-batch-unknown', total: plan?.blocks.length ?? null };
  }
  const record = await ports.patchBatches.readPatchBatch(batch.batch_id, jobIndex, idx);
  return { kind: 'patch-batch', patchBatch: patchBatchView(block, record, job) };
}

export type PatchBatchView = ViewOf<typeof patchBatchSchema>;

/**
 * @param record null while the patch-batch is `pending`
 * @param job read before the record, so that the record of a failed job is final
 */
export function patchBatchView(
  block: PlannedBlock,
  record: PatchBatchRecord | null,
  job: JobRecord | null,
): PatchBatchView {
  const completed = record?.status === 'completed' ? record : null;
  const view: PatchBatchView = {
    patch_batch_idx: block.idx,
    status: record?.status ?? 'pending',
    failure_reason: record?.status === 'failed' ? record.failure_reason : null,
    point_count: block.pointCount,
    predicted_point_count: completed?.predicted_point_count ?? null,
    inference_duration_ms: completed?.inference_duration_ms ?? null,
    created_at: record?.created_at ?? null,
    updated_at: record?.updated_at ?? null,
  };
  const final = view.status === 'completed' || view.status === 'failed';
  if (final || job?.status !== 'failed') return view;
  return {
    ...view,
    status: 'failed',
    failure_reason: `the job failed before this patch-batch ended: ${job.error.message}`,
    updated_at: job.completed_at,
  };
}

export const patchBatchSchema = z
  .strictObject({
    patch_batch_idx: count.check(z.describe('Index in the job, from 0')),
    status: workState,
    failure_reason: z.nullable(z.string().check(z.minLength(1))),
    point_count: count.check(z.describe('Number of cells that belong to the polygon')),
    predicted_point_count: z.nullable(count).check(z.describe('Number of cells with a value')),
    inference_duration_ms: z.nullable(z.number().check(z.nonnegative())),
    created_at: z.nullable(time),
    updated_at: z.nullable(time),
  })
  .check(
    z.refine(
      (patchBatch) => (patchBatch.failure_reason !== null) === (patchBatch.status === 'failed'),
      'failure_reason must be set if and only if the status is failed',
    ),
  );
