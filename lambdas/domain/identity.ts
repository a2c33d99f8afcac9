import { parse, v5, v7, validate, version } from 'uuid';

/** UUIDv7 (RFC 9562): batches sort by the time they were made. */
export type BatchId = string;

/** UUIDv5 of its batch and index: known before anything about the job is stored. */
export type JobId = string;

export function newBatchId(now: Date): BatchId {
  return v7({ msecs: now.getTime() });
}

export function isBatchId(text: string): boolean {
  return validate(text) && version(text) === 7 && text === text.toLowerCase();
}

export function jobIdOf(batchId: BatchId, index: number): JobId {
  return v5(String(index), batchId);
}

/** The ids of all jobs of a batch, in order; the batch's own is read once for all of them. */
export function jobIdsOf(batchId: BatchId, totalJobs: number): readonly JobId[] {
  const namespace = parse(batchId);
  return Array.from({ length: totalJobs }, (_, index) => v5(String(index), namespace));
}

/**
 * The index of a job in its batch, found without storage by trying the at most 1,000 names
 * a batch can have given; `null` when the id is none of them.
 */
export function jobIndexOf(batchId: BatchId, jobId: JobId, totalJobs: number): number | null {
  const namespace = parse(batchId);
  for (let index = 0; index < totalJobs; index++) {
    if (v5(String(index), namespace) === jobId) return index;
  }
  return null;
}
