import { type Batch, runningSince } from '../domain/batch/batch.ts';
import { countJobs } from '../domain/batch/batch-progress.ts';
import type { Clock } from '../domain/clock.ts';
import type { JobRecord } from '../domain/job/job.ts';
import { type Log, log } from './log.ts';

export function logRunning(clock: Clock, write: Log = log) {
  return (batch: Batch, jobs: readonly JobRecord[]): void => {
    const since = runningSince(batch);
    const { completed, failed, total } = countJobs(batch.total_jobs, jobs);
    write('info', 'running', {
      tenant: batch.tenant,
      batch_id: batch.batch_id,
      outcome: batch.status,
      since,
      completed_jobs: completed,
      failed_jobs: failed,
      total_jobs: total,
      completed_patch_batches: jobs.reduce(
        (sum, { completed_patch_batches: each = 0 }) => sum + each,
        0,
      ),
      duration_ms: clock().getTime() - Date.parse(since),
    });
  };
}
