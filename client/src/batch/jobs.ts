import type { Transport } from '../http/transport.ts';
import { batchPath } from '../http/urls.ts';
import type { Job } from '../schemas.ts';
import { pollChanges } from './changes.ts';
import { pageThrough } from './pages.ts';
import { isFinal } from './progress.ts';

const PAGE_SIZE = 100;

export interface JobsOptions {
  /** The state of the jobs to list; by default, any. */
  readonly status?: 'all' | 'completed' | 'failed' | undefined;
  /**
   * Whether to yield each job once it is final, until the batch is final; by default, jobs are listed as they
   * are now.
   */
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function* listJobs(
  transport: Transport,
  batchId: string,
  { status = 'all', follow = false, signal }: JobsOptions,
): AsyncGenerator<Job, void, undefined> {
  if (!follow) return yield* pageThroughJobs(transport, batchId, status, signal);
  const seen = new Set<string>();
  for await (const { jobs } of pollChanges(transport, batchId, signal)) {
    for (const job of jobs) {
      const isWanted = isFinal(job) && (status === 'all' || status === job.status);
      if (!isWanted || seen.has(job.job_id)) continue;
      seen.add(job.job_id);
      yield job;
    }
  }
}

function pageThroughJobs(
  transport: Transport,
  batchId: string,
  status: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Job, void, undefined> {
  return pageThrough(async (cursor) => {
    const query = { jobs: status, limit: PAGE_SIZE, cursor };
    const path = batchPath(batchId, 'status');
    const batch = await transport.getJson(path, { query, signal }, 'BatchStatus');
    return { items: batch.jobs, next: batch.next_cursor };
  });
}
