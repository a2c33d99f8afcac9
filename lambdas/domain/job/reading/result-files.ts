import type { PackFiles } from '#engine/model/pack/pack-files.ts';
import type { BatchId, JobId } from '../../identity.ts';

/** Port that reads the rasters of completed jobs by ranges. */
export interface ResultFiles {
  open(batchId: BatchId, jobId: JobId): { readonly files: PackFiles; readonly href: string };
}
