import type { BatchStore } from '../batch/batch.ts';
import { type Clock, type Timestamp, timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { JobErrorCode, JobRecord, JobStatus, JobStore } from '../job/job.ts';
import type { JobRequests } from '../job/job-requests.ts';
import type { PatchBatchStatus, PatchBatchStore, Plan } from '../patch-batch/patch-batch.ts';
import { type ShownBatch, shownBatch } from './running-batches.ts';

export interface BatchDetailPorts {
  readonly batches: Pick<BatchStore, 'read' | 'readMetadata'>;
  readonly jobs: Pick<JobStore, 'list'>;
  readonly jobRequests: Pick<JobRequests, 'entries'>;
  readonly patchBatches: Pick<PatchBatchStore, 'readPlan' | 'range'>;
  readonly clock: Clock;
}

/** A job on the page of its batch. */
export interface ShownJob {
  readonly index: number;
  /** The client's name for it: any text. */
  readonly name: string | null;
  readonly status: JobStatus;
  readonly patchBatches: { readonly completed: number; readonly total: number } | null;
  readonly updatedAt: Timestamp | null;
  readonly error: { readonly code: JobErrorCode; readonly message: string } | null;
}

/** The position of a patch-batch in its job's raster, in cells from the raster's corner. */
export interface PlacedPatchBatch {
  readonly idx: number;
  readonly col: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
  readonly status: PatchBatchStatus;
  readonly failureReason: string | null;
}

/** The patch-batches of a job at their positions in its raster. */
export interface PatchBatchMap {
  readonly jobIndex: number;
  readonly model: string;
  readonly width: number;
  readonly height: number;
  readonly patchBatches: readonly PlacedPatchBatch[];
}

export interface BatchDetail {
  readonly at: Timestamp;
  readonly shown: ShownBatch;
  /** The JSON text that the client sent. */
  readonly metadata: string | null;
  readonly jobs: readonly ShownJob[];
  /** Of the requested job, or the default one; null if none is planned. */
  readonly patchBatchMap: PatchBatchMap | null;
}

/** @returns null if there is no such batch */
export async function readBatchDetail(
  ports: BatchDetailPorts,
  batchId: BatchId,
  jobIndex: number | null,
): Promise<BatchDetail | null> {
  const at = timestamp(ports.clock());
  const batch = await ports.batches.read(batchId);
  if (batch === null) return null;
  const [records, metadata, entries] = await Promise.all([
    ports.jobs.list(batchId),
    ports.batches.readMetadata(batchId),
    ports.jobRequests.entries(batchId),
  ]);
  const byIndex = new Map(records.map((record) => [record.index, record]));
  const jobs = Array.from({ length: batch.totalJobs }, (_, index) =>
    shownJob(index, entries[index]?.name ?? null, byIndex.get(index) ?? null),
  );
  const drawn = jobIndex ?? defaultJob(records);
  return {
    at,
    shown: shownBatch(batch, records, at),
    metadata,
    jobs,
    patchBatchMap: drawn === null ? null : await readPatchBatchMap(ports, batchId, drawn),
  };
}

function shownJob(index: number, name: string | null, record: JobRecord | null): ShownJob {
  const progress = record?.progress ?? null;
  return {
    index,
    name,
    status: record?.state.status ?? 'pending',
    patchBatches:
      progress === null
        ? null
        : { completed: progress.completedPatchBatches, total: progress.totalPatchBatches },
    updatedAt: record?.updatedAt ?? null,
    error: record?.state.status === 'failed' ? record.state.error : null,
  };
}

/** The running job that changed last; without one, the planned job that changed last. */
function defaultJob(records: readonly JobRecord[]): number | null {
  const planned = records.filter(({ progress }) => progress !== null);
  const running = planned.filter(({ state }) => state.status === 'processing');
  const [latest] = [...(running.length > 0 ? running : planned)].sort((a, b) =>
    b.updatedAt.localeCompare(a.updatedAt),
  );
  return latest?.index ?? null;
}

async function readPatchBatchMap(
  { patchBatches }: BatchDetailPorts,
  batchId: BatchId,
  jobIndex: number,
): Promise<PatchBatchMap | null> {
  const plan = await patchBatches.readPlan(batchId, jobIndex);
  if (plan === null) return null;
  const { window, model } = plan;
  return {
    jobIndex,
    model,
    width: window.width,
    height: window.height,
    patchBatches: await placedPatchBatches(patchBatches, batchId, jobIndex, plan),
  };
}

async function placedPatchBatches(
  patchBatches: BatchDetailPorts['patchBatches'],
  batchId: BatchId,
  jobIndex: number,
  { blocks, window }: Plan,
): Promise<readonly PlacedPatchBatch[]> {
  const records = await patchBatches.range(batchId, jobIndex, 0, blocks.length);
  const byIdx = new Map(records.map((record) => [record.idx, record]));
  return blocks.map(({ idx, col, row, width, height }) => {
    const record = byIdx.get(idx);
    return {
      idx,
      col: col - window.col,
      row: row - window.row,
      width,
      height,
      status: record?.status ?? 'pending',
      failureReason: record?.status === 'failed' ? record.failureReason : null,
    };
  });
}
