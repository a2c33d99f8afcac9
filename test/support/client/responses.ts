import { readFileSync } from 'node:fs';
import type { BatchCompleted, BatchStatus, Job, JobDetail } from 'soil-batch-client';

export function exampleResponse(name: string): Readonly<Record<string, unknown>> {
  const folder = new URL('../../../lambdas/api/operations/examples/', import.meta.url);
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
}

export const STATUS = exampleResponse('batch-status') as unknown as BatchStatus;
export const JOB_DETAIL = exampleResponse('job-status') as unknown as JobDetail;
export const EVENT = exampleResponse('completion-webhook') as unknown as BatchCompleted;

export function jobWith(changes: Partial<Job> = {}): Job {
  const [job] = STATUS.jobs;
  if (job === undefined) throw new Error('the example has no job');
  return { ...job, ...changes };
}

/** Returns a page of the batch status, which is the last page if it has no cursor. */
export function statusWith(
  changes: Partial<BatchStatus> = {},
  next: string | null = null,
): BatchStatus {
  return { ...STATUS, has_more: next !== null, next_cursor: next, ...changes };
}
