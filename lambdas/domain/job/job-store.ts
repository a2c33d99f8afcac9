import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { Transition } from '../transition.ts';
import type { FinishedRaster } from './finishing/rasters.ts';
import type { CountedJob, JobError, JobModel, JobRecord, JobWarning } from './job.ts';

export interface PlannedJob {
  readonly model: JobModel;
  readonly totalPatchBatches: number;
  /** Invocations that predict them. */
  readonly shares: number;
  readonly pointCount: number;
  readonly warnings: readonly JobWarning[];
}

/** Port to the job items. Reads are strongly consistent; every write states the status it requires. */
export interface JobStore {
  /** All jobs of the batch that are past `pending`, by index. */
  list(batchId: BatchId): Promise<readonly JobRecord[]>;
  /** As `list`; a tenth of its work. */
  listCounted(batchId: BatchId): Promise<readonly CountedJob[]>;
  read(batchId: BatchId, index: number): Promise<JobRecord | null>;
  /** absent → processing */
  begin(batchId: BatchId, index: number, planned: PlannedJob, at: Timestamp): Promise<Transition>;
  /** processing → processing, with one more upload id on the item */
  registerUpload(
    batchId: BatchId,
    index: number,
    uploadId: string,
    at: Timestamp,
  ): Promise<Transition>;
  /** processing → completed, with the result and the summary */
  complete(
    batchId: BatchId,
    index: number,
    at: Timestamp,
    raster: FinishedRaster,
  ): Promise<Transition>;
  /** absent or processing → failed */
  fail(batchId: BatchId, index: number, error: JobError, at: Timestamp): Promise<Transition>;
}
