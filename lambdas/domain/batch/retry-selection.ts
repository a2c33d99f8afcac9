import type { BatchId } from '../identity.ts';
import { isRetryable, type JobErrorCode, type JobRecord } from '../job/job.ts';

export interface RetrySelection {
  readonly only: 'failed' | 'retryable';
  /** Indexes to choose from; null for all. */
  readonly jobs: readonly number[] | null;
}

export interface FailedJob {
  readonly index: number;
  readonly code: JobErrorCode;
}

export interface RetryClaim {
  readonly batchId: BatchId;
  /** Indexes of the retried jobs in the original batch, ascending; null for every failed job. */
  readonly jobs: readonly number[] | null;
}

export function failedJobs(records: readonly JobRecord[]): readonly FailedJob[] {
  return records
    .flatMap((job) =>
      job.status === 'failed' ? [{ index: job.job_index, code: job.error.code }] : [],
    )
    .toSorted((a, b) => a.index - b.index);
}

export function selectFailedJobs(
  failed: readonly FailedJob[],
  { only, jobs }: RetrySelection,
): readonly FailedJob[] {
  const among = jobs === null ? null : new Set(jobs);
  return failed.filter(
    ({ index, code }) =>
      (among === null || among.has(index)) && (only === 'failed' || isRetryable(code)),
  );
}

export function claimedJobs(claim: RetryClaim, failed: readonly FailedJob[]): readonly number[] {
  return claim.jobs ?? failed.map(({ index }) => index);
}

/** A claim on all failed jobs names none, so that a thousand indexes need not be stored. */
export function buildRetryClaim(
  batchId: BatchId,
  chosen: readonly FailedJob[],
  failed: readonly FailedJob[],
): RetryClaim {
  const jobs = chosen.length === failed.length ? null : chosen.map(({ index }) => index);
  return { batchId, jobs };
}

export function areSameIndexes(
  indexes: readonly number[],
  otherIndexes: readonly number[],
): boolean {
  return (
    indexes.length === otherIndexes.length &&
    indexes.every((index, position) => index === otherIndexes[position])
  );
}
