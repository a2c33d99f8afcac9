import { v7, validate, version } from 'uuid';
import { nameBasedUuids } from './name-based-uuid.ts';

/** UUIDv7 (RFC 9562): ids sort by creation time. */
export type BatchId = string;

/** UUIDv5 of the batch id and the job index, so it is known before anything is stored. */
export type JobId = string;

export function newBatchId(now: Date): BatchId {
  return v7({ msecs: now.getTime() });
}

/** The time in a UUIDv7: its first 48 bits, in milliseconds (RFC 9562, section 5.7). */
export function createdAtOf(batchId: BatchId): Date {
  return new Date(Number.parseInt(batchId.replace('-', '').slice(0, 12), 16));
}

export function isBatchId(text: string): boolean {
  return validate(text) && version(text) === 7 && text === text.toLowerCase();
}

export function jobIdOf(batchId: BatchId, index: number): JobId {
  return nameBasedUuids(batchId)(String(index));
}

/** The ids of all jobs of a batch, in order. */
export function jobIdsOf(batchId: BatchId, totalJobs: number): readonly JobId[] {
  const idOf = nameBasedUuids(batchId);
  return Array.from({ length: totalJobs }, (_, index) => idOf(String(index)));
}

/**
 * The index of a job in its batch, or `null` if the id belongs to none of its jobs. Computed without
 * storage: a batch has at most 1,000 jobs to try.
 */
export function jobIndexOf(batchId: BatchId, jobId: JobId, totalJobs: number): number | null {
  const idOf = nameBasedUuids(batchId);
  for (let index = 0; index < totalJobs; index++) {
    if (idOf(String(index)) === jobId) return index;
  }
  return null;
}
