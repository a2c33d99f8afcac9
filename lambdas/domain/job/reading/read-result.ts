import type { Batch } from '../../batch/batch.ts';
import {
  findOwnedJob,
  type OwnedBatchPorts,
  type RetentionPorts,
  resultsExpiredAt,
} from '../../batch/owned-batch.ts';
import type { Timestamp } from '../../clock.ts';
import { type JobId, jobIdOf } from '../../identity.ts';
import type { CompletedRecord, JobStore } from '../job.ts';
import type { JobEntry, JobRequests } from '../job-requests.ts';

export interface ReadResultPorts extends OwnedBatchPorts, RetentionPorts {
  readonly jobs: Pick<JobStore, 'read'>;
  readonly jobRequests: Pick<JobRequests, 'entries'>;
}

export interface FinishedResult {
  readonly kind: 'result';
  readonly batch: Batch;
  readonly jobIndex: number;
  readonly jobId: JobId;
  readonly record: CompletedRecord;
  /** Of all jobs of the batch. */
  readonly entries: readonly JobEntry[];
}

export type ResultReading =
  | { readonly kind: 'batch-unknown' }
  | { readonly kind: 'job-unknown' }
  | { readonly kind: 'expired'; readonly at: Timestamp }
  /** The job failed or is not finished yet. */
  | { readonly kind: 'no-result'; readonly failed: boolean }
  | FinishedResult;

export async function readResult(
  ports: ReadResultPorts,
  tenant: string,
  batchId: string,
  jobId: string,
): Promise<ResultReading> {
  const found = await findOwnedJob(ports, tenant, batchId, jobId);
  if (found.kind === 'batch-unknown') {
    const at = resultsExpiredAt(ports, batchId);
    return at === null ? found : { kind: 'expired', at };
  }
  if (found.kind !== 'found') return found;
  const { batch, jobIndex } = found;
  const record = await ports.jobs.read(batch.batch_id, jobIndex);
  if (record?.status !== 'completed') {
    return { kind: 'no-result', failed: record?.status === 'failed' };
  }
  const entries = await ports.jobRequests.entries(batch.batch_id);
  return resultOfJob(batch, record, entries);
}

export function resultOfJob(
  batch: Batch,
  record: CompletedRecord,
  entries: readonly JobEntry[],
): FinishedResult {
  const jobIndex = record.job_index;
  const jobId = jobIdOf(batch.batch_id, jobIndex);
  return { kind: 'result', batch, jobIndex, jobId, record, entries };
}
