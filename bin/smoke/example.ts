import { setTimeout as sleep } from 'node:timers/promises';
import { creationResponse } from '../../lambdas/api/operations/create-batch.ts';
import { require } from './check.ts';

/** Valid JSON that parsing would change; the service must return it byte for byte. */
export const METADATA =
  '{"z":1.0,"a":1e400,"big":9223372036854775808,"z":2,"__proto__":{"x":"\\ud800\\u0041"} , "t":"é"}';

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

/** Sends a request with an API key; it is a POST if it has a body. */
export type Call = (path: string, options?: { readonly body?: string }) => Promise<Received>;

export interface ExampleRun {
  readonly creation: Received;
  readonly batchId: string;
  readonly jobIds: readonly string[];
  /** The status of each poll up to the final one, with the times of request and response. */
  readonly polls: readonly (Received & { readonly requestedAt: number; readonly readAt: number })[];
}

/** The example may take minutes in a busy account. */
const BATCH_MS = 600_000;

/**
 * @param request the fields of the batch other than its metadata
 * @param onPoll called before each poll
 */
export async function runExample(
  call: Call,
  request: object,
  {
    pauseMs = 2_000,
    onPoll = async () => {},
  }: {
    readonly pauseMs?: number;
    readonly onPoll?: (batchId: string, jobIds: readonly string[]) => Promise<void>;
  } = {},
): Promise<ExampleRun> {
  const fields = JSON.stringify(request).slice(1);
  const creation = await call('/v1/batch', { body: `{"metadata":${METADATA},${fields}` });
  require(creation.status ===
    202, `creating the batch returned ${creation.status}: ${creation.text}`);
  const { batch_id: batchId, job_ids: jobIds } = creationResponse.parse(creation.json);
  const polls: ExampleRun['polls'][number][] = [];
  const deadline = Date.now() + BATCH_MS;
  for (;;) {
    await onPoll(batchId, jobIds);
    const requestedAt = Date.now();
    const status = await call(`/v1/batch/${batchId}/status`);
    require(status.status ===
      200, `reading the batch status returned ${status.status}: ${status.text}`);
    polls.push({ ...status, requestedAt, readAt: Date.now() });
    if (Object(status.json).completed_at !== null) return { creation, batchId, jobIds, polls };
    require(Date.now() < deadline, `batch ${batchId} is not final after ${BATCH_MS / 60_000} min`);
    await sleep(pauseMs);
  }
}

/** The fields of a status that only ever advance. */
interface Progress {
  readonly progress: number;
  readonly completed_tasks: number;
  readonly failed_tasks: number;
  readonly jobs: readonly { readonly job_id: string; readonly status: string }[];
}

const ORDER = ['pending', 'processing', 'completed', 'failed'];

/** @throws Error if a count, a job's status or the progress regressed between two polls, or a job was lost */
export function requireAdvance(polls: readonly Progress[]): void {
  polls.reduce((before, after) => {
    for (const count of ['progress', 'completed_tasks', 'failed_tasks'] as const) {
      require(after[count] >=
        before[count], `${count} fell from ${before[count]} to ${after[count]}`);
    }
    for (const [index, { job_id, status }] of before.jobs.entries()) {
      const later = after.jobs[index];
      require(later?.job_id === job_id, `job ${job_id} was lost between two polls`);
      const regressed = ORDER.indexOf(later.status) < ORDER.indexOf(status);
      require(!regressed, `job ${job_id} went from ${status} to ${later.status}`);
    }
    return after;
  });
}
