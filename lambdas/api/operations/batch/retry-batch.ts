import type { Batch } from '../../../domain/batch/batch.ts';
import {
  type Refusal,
  type Retry,
  type RetryBatchPorts,
  retryBatch,
} from '../../../domain/batch/retry-batch.ts';
import type { RetrySelection } from '../../../domain/batch/retry-selection.ts';
import { jobIdsOf } from '../../../domain/identity.ts';
import { RETRY_DAYS } from '../../../domain/limits.ts';
import { TransientFailure } from '../../../domain/transient-failure.ts';
import { retryRequest } from '../../definitions/batch-requests.ts';
import type { RetryResponse } from '../../definitions/batch-responses.ts';
import { BATCH_OPERATIONS } from '../../definitions/batches.ts';
import type { Operation } from '../../handling/handle.ts';
import { pathOf } from '../../handling/routes.ts';
import { firstViolations } from '../../problems/first-violations.ts';
import { batchNotFound } from '../../problems/not-found.ts';
import { Problem, violationsProblem } from '../../problems/problem.ts';
import { quotaProblem } from '../../problems/quota-problem.ts';
import { withPlainBody } from '../../requests/content-encoding.ts';
import { readJsonBody } from '../../requests/json-body.ts';
import { pointerOf } from '../../requests/pointer.ts';
import { readId, readQuery } from '../../requests/query.ts';
import { fieldSpansOf, repeatedFields } from '../../requests/repeated-fields.ts';
import { type ApiRequest, tenantOf } from '../../requests/request.ts';
import { violationsOf } from '../../requests/violations.ts';
import { rateLimitHeaders } from '../../responses/rate-limit-headers.ts';
import { POLL_AFTER_SECONDS, uncached } from '../../responses/response.ts';

export function retryBatchOperation(ports: RetryBatchPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const selection = readRetryBody(request);
    const id = readId(request, 'batch_id');
    const retry = await retryOrUnavailable(ports, tenantOf(request), id, selection);
    switch (retry.kind) {
      case 'unknown':
        throw batchNotFound();
      case 'refused':
        throw new Problem('not-retryable', REFUSALS[retry.because]);
      case 'job-unknown':
        throw jobUnknown(retry.position, retry.totalJobs);
      case 'retried':
        throw new Problem('not-retryable', retriedBy(retry.by, retry.jobs));
      case 'over-quota':
        throw quotaProblem(retry.wanted, retry.allowance, ports.clock());
      case 'accepted': {
        const { batch, allowance, nonRetryable } = retry;
        const location = `${request.baseUrl}${pathOf(BATCH_OPERATIONS['batch-status'], { batch_id: batch.batchId })}`;
        const response = uncached(202, retryView(batch, nonRetryable, location), {
          Location: location,
          'Retry-After': String(POLL_AFTER_SECONDS),
          ...rateLimitHeaders(allowance, ports.clock()),
        });
        return { ...response, batchId: batch.batchId };
      }
    }
  };
}

const FIELDS = Object.keys(retryRequest.shape);

/**
 * The selection in a retry request; without a body, every failed job.
 * @throws Problem that lists the first violations
 */
function readRetryBody(sent: ApiRequest): RetrySelection {
  if (sent.body.length === 0) return { only: 'failed', jobs: null };
  const request = withPlainBody(sent);
  const value = readJsonBody(request);
  const parsed = retryRequest.safeParse(value);
  const violations = firstViolations([
    ...repeatedFields(fieldSpansOf(request.body, value, FIELDS)),
    ...(parsed.success
      ? []
      : violationsOf(parsed.error.issues, { value, path: [], fields: FIELDS })),
  ]);
  if (!parsed.success || violations.length > 0) throw violationsProblem('validation', violations);
  const { only, jobs } = parsed.data;
  return { only: only ?? 'failed', jobs: jobs ?? null };
}

/** The id of the retry is stored first, so that a repeated request continues the same retry. */
async function retryOrUnavailable(...args: Parameters<typeof retryBatch>): Promise<Retry> {
  try {
    return await retryBatch(...args);
  } catch (error) {
    if (!(error instanceof TransientFailure)) throw error;
    throw new Problem(
      'unavailable',
      'The retry could not be created now. Send the request again.',
      {
        headers: { 'Retry-After': '1' },
      },
    );
  }
}

function jobUnknown(position: number, totalJobs: number): Problem {
  const message = `must be the index of a job of the batch, from 0 to ${totalJobs - 1}`;
  return violationsProblem('validation', [{ pointer: pointerOf(['jobs', position]), message }]);
}

const JOBS_NAMED = 20;

function retriedBy(batchId: string, jobs: readonly number[]): string {
  const named = jobs.slice(0, JOBS_NAMED).join(', ');
  const more = jobs.length > JOBS_NAMED ? ` and ${jobs.length - JOBS_NAMED} more` : '';
  const which = jobs.length === 1 ? `job ${named}` : `jobs ${named}${more}`;
  return `Batch ${batchId} already retries ${which} of this batch, and a batch is retried once. Send other jobs as a new batch.`;
}

const REFUSALS: Readonly<Record<Refusal, string>> = {
  'not finished': 'The batch is not finished. Wait until it is, or cancel it first.',
  'nothing failed': 'No job of the batch failed, so there is nothing to retry.',
  'nothing selected':
    'No failed job of the batch is in the selection, so there is nothing to retry.',
  'too old': `The batch was completed more than ${RETRY_DAYS} days ago, and its intermediate results may be deleted. Create a new batch.`,
};

function whichRun(jobs: number, retryOf: string): string {
  return jobs === 1 ? `1 job of batch ${retryOf} runs` : `${jobs} jobs of batch ${retryOf} run`;
}

/** The retry may include them, because an operator may have fixed or added a model since. */
function whatFailsAgain(nonRetryable: number): string {
  if (nonRetryable === 0) return '';
  return `${nonRetryable} failed with a permanent error (error_retryable: false) and will fail again, unless the models have changed; send corrected jobs as a new batch. `;
}

function retryView(batch: Batch, nonRetryable: number, location: string): RetryResponse {
  if (batch.retryOf === undefined) throw new Error(`${batch.batchId} is no retry`);
  return {
    batch_id: batch.batchId,
    status: batch.state.status,
    total_jobs: batch.totalJobs,
    total_tasks: batch.totalJobs,
    job_ids: Object.fromEntries(jobIdsOf(batch.batchId, batch.totalJobs).entries()),
    created_at: batch.createdAt,
    message: `${whichRun(batch.totalJobs, batch.retryOf)} again as a new batch. ${whatFailsAgain(nonRetryable)}Progress and results: ${location}.`,
    retry_of: batch.retryOf,
  };
}
