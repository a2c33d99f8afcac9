import * as z from 'zod/mini';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import type { BatchId } from '../identity.ts';
import { count, type ViewOf } from '../wire.ts';
import { jobHead, type RequestedJob, type StoredJob, validPolygon } from './requested-job.ts';

/** The byte range of one job in a batch's stored jobs. */
export interface TextRange {
  readonly offset: number;
  readonly length: number;
}

export const jobEntry = z.object({
  ...jobHead.shape,
  offset: count,
  length: z.int().check(z.positive()),
});

export type JobEntry = ViewOf<typeof jobEntry>;

/** Port to a batch's jobs and their index, neither of which changes. */
export interface JobRequests {
  write(batchId: BatchId, jobs: readonly StoredJob[]): Promise<void>;
  entries(batchId: BatchId): Promise<readonly JobEntry[]>;
  job(batchId: BatchId, range: TextRange): Promise<RequestedJob>;
  /** Reads the text of all jobs once; the returned function parses a job on demand. */
  jobs(batchId: BatchId): Promise<(range: TextRange) => RequestedJob>;
}

/** Reads the polygon of a job. It is valid, because the job was planned. */
export async function readPlannedPolygon(
  jobRequests: Pick<JobRequests, 'job'>,
  batchId: BatchId,
  range: TextRange,
): Promise<MultiPolygonRings> {
  return validPolygon(await jobRequests.job(batchId, range));
}

/** @throws Error if the batch has no such job */
export async function readEntry(
  jobRequests: Pick<JobRequests, 'entries'>,
  batchId: BatchId,
  index: number,
): Promise<JobEntry> {
  return entryAt(await jobRequests.entries(batchId), batchId, index);
}

/** @throws Error if the batch has no such job */
export function entryAt(entries: readonly JobEntry[], batchId: BatchId, index: number): JobEntry {
  const entry = entries[index];
  if (entry === undefined) throw new Error(`batch ${batchId} has no job ${index}`);
  return entry;
}
