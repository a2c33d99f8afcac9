import { type Clock, type Timestamp, timestamp } from '../clock.ts';
import type { Page } from '../cursor.ts';
import { type CopyView, readCopyViews } from '../destination/copy-status.ts';
import type { CountedJob, JobModel, JobRecord, JobStore } from '../job/job.ts';
import { type JobView, type JobViewsPorts, readJobViews } from '../job/reading/job-view.ts';
import { type Batch, type BatchStore, isFinal } from './batch.ts';
import { readCountedJobs, readUsualTimes, type UsualTimesPorts } from './batch-progress.ts';
import type { BatchView } from './batch-schema.ts';
import { batchView } from './batch-view.ts';
import { readOwnedBatch } from './owned-batch.ts';

export interface ReadBatchPorts extends JobViewsPorts, UsualTimesPorts {
  readonly batches: Pick<BatchStore, 'readBatch' | 'readMetadata'>;
  readonly jobs: Pick<JobStore, 'list' | 'listCounted'>;
  readonly clock: Clock;
}

export type JobsFilter = 'all' | 'completed' | 'failed' | 'none';

export interface JobsSelection {
  readonly filter: JobsFilter;
  /** Selects only jobs that changed at this time or later; null for all. */
  readonly updatedSince: Timestamp | null;
  /** The page of selected jobs to list, where `first` is a job index; null lists all of them. */
  readonly page: Page | null;
}

export interface BatchReading {
  readonly batch: BatchView;
  readonly copy: CopyView;
  readonly jobs: readonly JobView[];
  readonly models: readonly JobModel[];
  /** Where the next page starts; null on the last page. */
  readonly next: number | null;
  readonly finished: boolean;
}

/**
 * @returns null if the tenant has no such batch
 * @throws SigningKeyUnavailable if the URL of a completed job cannot be signed now
 */
export async function readBatch(
  ports: ReadBatchPorts,
  tenant: string,
  batchId: string,
  selection: JobsSelection,
): Promise<BatchReading | null> {
  // Read the batch before its jobs: if it is final, so are they.
  const batch = await readOwnedBatch(ports, tenant, batchId);
  if (batch === null) return null;
  const [{ counted, records }, metadata, usualTimes, { batch: copy }] = await Promise.all([
    readJobs(ports, batch, selection.filter),
    ports.batches.readMetadata(batch.batch_id),
    isFinal(batch) ? null : readUsualTimes(ports),
    readCopyViews(ports, batch),
  ]);
  const { indexes, next } = selectJobs(batch, records, selection);
  return {
    batch: batchView(batch, counted, metadata, timestamp(ports.clock()), usualTimes),
    copy,
    jobs: await readJobViews(ports, batch, records, indexes),
    models: modelsAt(records, indexes),
    next,
    finished: isFinal(batch),
  };
}

function modelsAt(records: readonly JobRecord[], indexes: readonly number[]): readonly JobModel[] {
  const listed = new Set(indexes);
  return records.flatMap(({ job_index, model }) => (listed.has(job_index) && model ? [model] : []));
}

/**
 * Reads what the counts need, and whole records only if the response may list some; these then serve the counts too.
 */
async function readJobs(
  { jobs }: ReadBatchPorts,
  batch: Batch,
  filter: JobsFilter,
): Promise<{ readonly counted: readonly CountedJob[]; readonly records: readonly JobRecord[] }> {
  if (filter === 'none') return { counted: await readCountedJobs(jobs, batch), records: [] };
  const records = await jobs.list(batch.batch_id);
  return { counted: records, records };
}

function selectJobs(
  batch: Batch,
  records: readonly JobRecord[],
  { filter, updatedSince, page }: JobsSelection,
): { readonly indexes: readonly number[]; readonly next: number | null } {
  const listed = selectIndexes(batch.total_jobs, records, filter);
  const chosen =
    updatedSince === null ? listed : selectChanged(updatedSince, listed, batch, records);
  if (page === null) return { indexes: chosen, next: null };
  const rest = chosen.filter((index) => index >= page.first);
  return { indexes: rest.slice(0, page.limit), next: rest[page.limit] ?? null };
}

/** A job without a record has not changed since its creation. */
function selectChanged(
  since: Timestamp,
  indexes: readonly number[],
  { created_at }: Batch,
  records: readonly JobRecord[],
): readonly number[] {
  const changes = new Map(records.map(({ job_index, updated_at }) => [job_index, updated_at]));
  return indexes.filter((index) => (changes.get(index) ?? created_at) >= since);
}

function selectIndexes(totalJobs: number, records: readonly JobRecord[], filter: JobsFilter) {
  switch (filter) {
    case 'all':
      return Array.from({ length: totalJobs }, (_, index) => index);
    case 'completed':
    case 'failed':
      return records
        .filter(({ status }) => status === filter)
        .map(({ job_index }) => job_index)
        .sort((a, b) => a - b);
    case 'none':
      return [];
  }
}
