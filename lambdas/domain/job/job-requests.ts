import type { BatchId } from '../identity.ts';
import type { MeasuredArea } from './measured-area.ts';

/** What the index of a batch's request knows of one job, so that nobody reads the whole text. */
export interface JobEntry extends MeasuredArea {
  /** Byte range of the job's JSON text in the stored text of `jobs`. */
  readonly offset: number;
  readonly length: number;
  readonly name: string | null;
  readonly year: number;
  /** Model asked for by this job, `id` or `id@version`. */
  readonly model: string | null;
  /** The failed job that this one retries; absent for a job that is no retry. */
  readonly retryOf?: JobReference;
}

export interface JobReference {
  readonly batchId: BatchId;
  readonly index: number;
}

/** Port to what the client sent: the text of `jobs`, byte for byte, and its index. */
export interface JobRequests {
  write(batchId: BatchId, text: Uint8Array, entries: readonly JobEntry[]): Promise<void>;
  /** The text of `jobs`, to the byte. */
  text(batchId: BatchId): Promise<Uint8Array>;
  entries(batchId: BatchId): Promise<readonly JobEntry[]>;
  /** The job's GeoJSON geometry as sent: an object, otherwise unchecked. */
  polygon(batchId: BatchId, entry: JobEntry): Promise<unknown>;
}

/** @throws Error when the batch has no such job */
export async function entryOf(
  jobRequests: Pick<JobRequests, 'entries'>,
  batchId: BatchId,
  index: number,
): Promise<JobEntry> {
  const entry = (await jobRequests.entries(batchId))[index];
  if (entry === undefined) throw new Error(`batch ${batchId} has no request ${index}`);
  return entry;
}
