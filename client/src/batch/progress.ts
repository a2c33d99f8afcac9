import { parseRetryAfter } from '../http/retries.ts';
import type { JsonResponse, Transport } from '../http/transport.ts';
import { batchPath } from '../http/urls.ts';
import { sleep } from '../http/waiting.ts';
import type { BatchStatus, Job } from '../schemas.ts';

/** The wait if the response for an unfinished batch has no `Retry-After`. */
const DEFAULT_POLL_SECONDS = 5;
/** Without bounds, a `Retry-After` of 0 would poll without pause, and a huge value would never poll again. */
const SHORTEST_POLL_SECONDS = 1;
const LONGEST_POLL_SECONDS = 300;

/** Whether a batch or a job is finished, so that its state never changes again. */
export function isFinal({ status }: Pick<BatchStatus | Job, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'partial';
}

/** Polls with `If-None-Match`: if the batch has not changed, the response is 304 without a body. */
export async function* pollProgress(
  transport: Transport,
  batchId: string,
  signal?: AbortSignal,
): AsyncGenerator<BatchStatus, void, undefined> {
  let etag: string | null = null;
  for (;;) {
    const { headers, body }: JsonResponse<BatchStatus> = await transport.requestJson(
      {
        method: 'GET',
        path: batchPath(batchId, 'status'),
        query: { jobs: 'none' },
        headers: etag === null ? {} : { 'If-None-Match': etag },
        signal,
      },
      'BatchStatus',
    );
    if (body !== null) {
      etag = headers.get('ETag');
      yield body;
      if (isFinal(body)) return;
    }
    await sleep(pollSeconds(headers) * 1000, signal);
  }
}

export function pollSeconds(headers: Headers): number {
  const seconds = parseRetryAfter(headers) ?? DEFAULT_POLL_SECONDS;
  return Math.min(Math.max(seconds, SHORTEST_POLL_SECONDS), LONGEST_POLL_SECONDS);
}
