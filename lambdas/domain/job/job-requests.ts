import type { Span } from '#engine/json/json-spans.ts';
import type { BatchId } from '../identity.ts';
import type { MeasuredArea } from './planning/measured-area.ts';

/** Bytes of the stored text of `jobs`. */
export interface TextRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * Where reads find what they return of a job's text, in bytes from its start; null if there is none. A
 * text of a few kB in gzip can take seconds to search.
 */
export interface JobParts {
  /** An object: those of the job, or else of its Feature. */
  readonly properties: Span | null;
  /** Of a geometry that can be parsed. */
  readonly coordinates: Span | null;
}

/** One job in the index of a batch's request, so that the whole text need not be read. */
export interface JobEntry extends MeasuredArea, TextRange {
  readonly name: string | null;
  readonly year: number;
  /** Model requested for this job, `id` or `id@version`. */
  readonly model: string | null;
  readonly parts: JobParts;
  /** The failed job that this one retries; absent if it is not a retry. */
  readonly retryOf?: JobReference;
}

export interface JobReference {
  readonly batchId: BatchId;
  readonly index: number;
}

/** Port to the stored request: the exact text of `jobs`, and its index. */
export interface JobRequests {
  write(batchId: BatchId, text: Uint8Array, entries: readonly JobEntry[]): Promise<void>;
  /** The exact text of `jobs`. */
  text(batchId: BatchId): Promise<Uint8Array>;
  entries(batchId: BatchId): Promise<readonly JobEntry[]>;
  /** The exact text of one job, or of a part of it. */
  job(batchId: BatchId, range: TextRange): Promise<Uint8Array>;
}

/** @throws Error if the batch has no such job */
export async function entryOf(
  jobRequests: Pick<JobRequests, 'entries'>,
  batchId: BatchId,
  index: number,
): Promise<JobEntry> {
  return entryAt(await jobRequests.entries(batchId), batchId, index);
}

/** @throws Error if the batch has no such job */
export function entryAt(entries: readonly JobEntry[], batchId: BatchId, index: number): JobEntry {
  const entry = entries[index];
  if (entry === undefined) throw new Error(`batch ${batchId} has no request ${index}`);
  return entry;
}
