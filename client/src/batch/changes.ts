import type { JsonResponse, Transport } from '../http/transport.ts';
import { batchPath } from '../http/urls.ts';
import { sleep } from '../http/waiting.ts';
import type { BatchStatus } from '../schemas.ts';
import { isFinal, pollSeconds } from './progress.ts';

/**
 * A change to a job may become visible this long after its timestamp, even after newer changes to other jobs.
 */
const OVERLAP_MS = 2_000;

/** Reads all jobs again before it yields a state whose counts show that a finished job was missed. */
export async function* pollChanges(
  transport: Transport,
  batchId: string,
  signal?: AbortSignal,
): AsyncGenerator<BatchStatus, void, undefined> {
  const finished = new Set<string>();
  let since: string | undefined;
  let newest = { change: '', firstSeen: 0 };
  for (;;) {
    const { headers, body }: JsonResponse<BatchStatus> = await transport.requestJson(
      {
        method: 'GET',
        path: batchPath(batchId, 'status'),
        query: { jobs: 'all', updated_since: since },
        signal,
      },
      'BatchStatus',
    );
    if (body !== null) {
      for (const job of body.jobs) if (isFinal(job)) finished.add(job.job_id);
      const isMissed = finished.size < body.completed_jobs + body.failed_jobs;
      if (isMissed && since !== undefined) {
        since = undefined;
        continue;
      }
      yield body;
      if (isFinal(body)) return;
      if (body.updated_at !== newest.change) {
        newest = { change: body.updated_at, firstSeen: Date.now() };
      }
      const hasAllOf = Date.now() - newest.firstSeen >= OVERLAP_MS;
      since = shiftTime(newest.change, hasAllOf ? 1 : -OVERLAP_MS);
    }
    await sleep(pollSeconds(headers) * 1000, signal);
  }
}

function shiftTime(time: string, milliseconds: number): string | undefined {
  const at = Date.parse(time) + milliseconds;
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
