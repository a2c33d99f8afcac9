import { type CopyViews, type CopyViewsPorts, readCopyViews } from '../destination/copy-status.ts';
import type { BatchId } from '../identity.ts';
import type { JobModel, JobRecord, JobStore } from '../job/job.ts';
import { entryAt, type JobEntry, type JobRequests } from '../job/job-requests.ts';
import { type JobDetail, jobDetail } from '../job/reading/job-view.ts';
import { type FinishedResult, resultOfJob } from '../job/reading/read-result.ts';
import type { RequestedJob } from '../job/requested-job.ts';
import { type Batch, isFinal } from './batch.ts';
import { type OwnedBatchPorts, readOwnedBatch } from './owned-batch.ts';

export interface ReadResultsPorts extends OwnedBatchPorts, CopyViewsPorts {
  readonly jobs: Pick<JobStore, 'list'>;
  readonly jobRequests: Pick<JobRequests, 'entries' | 'jobs'>;
}

/** A job of the batch, in any state. Its `job` has no signed URL. */
export interface ResultRow extends JobDetail {
  readonly batchId: BatchId;
  readonly index: number;
  /** Null if the job is not planned. */
  readonly model: JobModel | null;
  readonly requested: RequestedJob;
  /** Null unless the job is completed. */
  readonly result: FinishedResult | null;
}

export interface BatchResults {
  readonly batch: Batch;
  readonly finished: boolean;
  /** Yields the jobs from this index on, in order; lazily, because a page may end before the last job. */
  rowsFrom(first: number): Iterable<ResultRow>;
}

/** @returns null if the tenant has no such batch */
export async function readResults(
  ports: ReadResultsPorts,
  tenant: string,
  batchId: string,
): Promise<BatchResults | null> {
  // Read the batch before its jobs: if it is final, so are they.
  const batch = await readOwnedBatch(ports, tenant, batchId);
  if (batch === null) return null;
  const [records, entries, jobOf, { viewJob }] = await Promise.all([
    ports.jobs.list(batch.batch_id),
    ports.jobRequests.entries(batch.batch_id),
    ports.jobRequests.jobs(batch.batch_id),
    readCopyViews(ports, batch),
  ]);
  const byIndex = new Map(records.map((record) => [record.job_index, record]));
  const rowAt = (index: number): ResultRow => {
    const record = byIndex.get(index) ?? null;
    const entry = entryAt(entries, batch.batch_id, index);
    return toResultRow(batch, index, record, entries, jobOf(entry), viewJob);
  };
  return {
    batch,
    finished: isFinal(batch),
    *rowsFrom(first) {
      for (let index = first; index < batch.total_jobs; index++) yield rowAt(index);
    },
  };
}

export function toResultRow(
  batch: Batch,
  index: number,
  record: JobRecord | null,
  entries: readonly JobEntry[],
  requested: RequestedJob,
  viewCopy: CopyViews['viewJob'],
): ResultRow {
  const entry = entryAt(entries, batch.batch_id, index);
  return {
    ...jobDetail(batch, index, entry, record, requested, null, viewCopy),
    batchId: batch.batch_id,
    index,
    model: record?.model ?? null,
    requested,
    result: record?.status === 'completed' ? resultOfJob(batch, record, entries) : null,
  };
}
