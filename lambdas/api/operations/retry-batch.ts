import * as z from 'zod/mini';
import type { Batch } from '../../domain/batch/batch.ts';
import { batchState } from '../../domain/batch/batch-schema.ts';
import {
  type Refusal,
  type Retry,
  type RetryBatchPorts,
  retryBatch,
} from '../../domain/batch/retry-batch.ts';
import type { RetrySelection } from '../../domain/batch/retry-selection.ts';
import { jobIdsOf } from '../../domain/identity.ts';
import { LIMITS, RETRY_DAYS } from '../../domain/limits.ts';
import { TransientFailure } from '../../domain/step-failure.ts';
import { batchId, jobId, type ViewOf } from '../../domain/wire.ts';
import type { OperationDefinition } from '../definition.ts';
import { objectError, optionalField } from '../http/fields.ts';
import type { Operation } from '../http/handle.ts';
import { readJsonBody, withPlainBody } from '../http/json-body.ts';
import { batchNotFound } from '../http/not-found.ts';
import { firstViolations, Problem, violationsProblem } from '../http/problem.ts';
import { readId, readQuery } from '../http/query.ts';
import { quotaProblem, rateLimitHeaders } from '../http/quota.ts';
import { type ApiRequest, tenantOf } from '../http/request.ts';
import { POLL_AFTER_SECONDS, uncached } from '../http/response.ts';
import { formatPointer, readFieldSpans, repeatedFields, toViolations } from '../http/violations.ts';
import { formatPath } from '../routes.ts';
import { RATE_LIMIT_HEADERS } from '../specification/documented-headers.ts';
import { named } from '../specification/published.ts';
import { creationResponse } from './create-batch.ts';
import retried from './examples/retry-batch.json' with { type: 'json' };

const INDEXES_RULE = `must be an array of 1 to ${LIMITS.jobsPerBatch} indexes of jobs of the batch`;

const INDEX_RULE = 'must be the index of a job of the batch, a whole number from 0';

const retryRequest = named(
  'RetryBatch',
  z.strictObject(
    {
      only: optionalField(
        z.enum(['failed', 'retryable'], { error: 'must be "failed" or "retryable"' }),
        '`failed` (the default) selects every failed job, `retryable` only those with `error_retryable` true',
      ),
      jobs: optionalField(
        z
          .array(z.int({ error: INDEX_RULE }).check(z.nonnegative({ error: INDEX_RULE })), {
            error: INDEXES_RULE,
          })
          .check(
            z.minLength(1, { error: INDEXES_RULE }),
            z.maxLength(LIMITS.jobsPerBatch, { error: INDEXES_RULE }),
          ),
        '`job_index` of the jobs to choose from; by default all',
      ),
    },
    { error: objectError('must be a JSON object; omit it to retry every failed job') },
  ),
);

export const retryResponse = named(
  'BatchRetried',
  z.extend(creationResponse, {
    status: batchState.check(
      z.describe('Status of the new batch; a repeated request returns its current status'),
    ),
    job_ids: z.array(jobId).check(z.describe('Job IDs of the new batch, in the order of its jobs')),
    message: z
      .string()
      .check(z.describe('Text for people: the status URL, and how many jobs will fail again')),
    retry_of: batchId.check(z.describe('The batch whose failed jobs are retried')),
  }),
);

export type RetryResponse = ViewOf<typeof retryResponse>;

export const retryRequestExample = { only: 'failed' } as const;

export const retryBatchDefinition = {
  operationId: 'retryBatch',
  tag: 'Batches',
  summary: 'Retry a batch',
  description: `Runs the failed jobs of a finished batch again, up to ${RETRY_DAYS} days after its end, as a new batch with the same name, metadata, model, webhook (with its secret) and destination. Completed patch-batches are not predicted again. Without a body, every failed job runs again. A job with \`error_retryable\` false (an invalid polygon, for example) fails again, unless the models have changed; \`message\` says how many such jobs there are. A repeated request with the same selection returns the same new batch; a different selection gets 409. The retry is charged to the quota like any batch.`,
  parameters: ['batchId'],
  body: { schema: retryRequest, example: retryRequestExample, optional: true },
  response: {
    status: 202,
    description: 'The new batch',
    headers: ['Location', 'Retry-After', ...RATE_LIMIT_HEADERS, 'Cache-Control'],
    links: ['status', 'job', 'cancel'],
    content: { schema: retryResponse, example: retried },
  },
  problems: [
    'not-json',
    'not-utf-8',
    'body-too-large',
    'media-type',
    'validation',
    'batch-not-found',
    'not-retryable',
    'quota-exceeded',
  ],
} as const satisfies OperationDefinition;

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
        throw unknownJobProblem(retry.position, retry.totalJobs);
      case 'retried':
        throw new Problem('not-retryable', describeExistingRetry(retry.by, retry.jobs));
      case 'over-quota':
        throw quotaProblem(retry.wanted, retry.allowance, ports.clock());
      case 'accepted': {
        const { batch, allowance, nonRetryable } = retry;
        const location = `${request.baseUrl}${formatPath('batch-status', { batch_id: batch.batch_id })}`;
        const response = uncached(202, retryView(batch, nonRetryable, location), {
          Location: location,
          'Retry-After': String(POLL_AFTER_SECONDS),
          ...rateLimitHeaders(allowance, ports.clock()),
        });
        return { ...response, batchId: batch.batch_id };
      }
    }
  };
}

const FIELDS = Object.keys(retryRequest.shape);

/**
 * Without a body, every failed job is selected.
 * @throws Problem that lists the first violations
 */
function readRetryBody(sent: ApiRequest): RetrySelection {
  if (sent.body.length === 0) return { only: 'failed', jobs: null };
  const request = withPlainBody(sent);
  const value = readJsonBody(request);
  const parsed = retryRequest.safeParse(value);
  const violations = firstViolations([
    ...repeatedFields(readFieldSpans(request.body, value, FIELDS)),
    ...(parsed.success
      ? []
      : toViolations(parsed.error.issues, { value, path: [], fields: FIELDS })),
  ]);
  if (!parsed.success || violations.length > 0) throw violationsProblem('validation', violations);
  const { only, jobs } = parsed.data;
  return { only: only ?? 'failed', jobs: jobs ?? null };
}

/** A repeated request continues the same retry, because its ID is stored first. */
async function retryOrUnavailable(...args: Parameters<typeof retryBatch>): Promise<Retry> {
  try {
    return await retryBatch(...args);
  } catch (error) {
    if (!(error instanceof TransientFailure)) throw error;
    throw new Problem(
      'unavailable',
      'The retry could not be created. Send the same request again.',
      {
        headers: { 'Retry-After': '1' },
      },
    );
  }
}

function unknownJobProblem(position: number, totalJobs: number): Problem {
  const message = `must be the index of a job of the batch, from 0 to ${totalJobs - 1}`;
  return violationsProblem('validation', [{ pointer: formatPointer(['jobs', position]), message }]);
}

const JOBS_NAMED = 20;

function describeExistingRetry(batchId: string, jobs: readonly number[]): string {
  const named = jobs.slice(0, JOBS_NAMED).join(', ');
  const more = jobs.length > JOBS_NAMED ? ` and ${jobs.length - JOBS_NAMED} more` : '';
  const which = jobs.length === 1 ? `job ${named}` : `jobs ${named}${more}`;
  return `Batch ${batchId} already retries ${which} of this batch, and a batch can be retried only once. Send other jobs as a new batch.`;
}

const REFUSALS: Readonly<Record<Refusal, string>> = {
  'not finished': 'The batch is not finished. Wait until it is, or cancel it first.',
  'nothing failed': 'No job of the batch failed, so there is nothing to retry.',
  'nothing selected':
    'No failed job of the batch is in the selection, so there is nothing to retry.',
  'too old': `The batch finished more than ${RETRY_DAYS} days ago, so its intermediate results may have been deleted. Create a new batch.`,
};

function describeRetriedJobs(jobs: number, retryOf: string): string {
  return jobs === 1 ? `1 job of batch ${retryOf} runs` : `${jobs} jobs of batch ${retryOf} run`;
}

/**
 * By default, jobs with permanent errors are part of the retry, because an operator may have repaired or added a model
 * since.
 */
function describeLastingFailures(nonRetryable: number): string {
  if (nonRetryable === 0) return '';
  return `Permanent errors (error_retryable: false): ${nonRetryable}. A job with such an error will fail again, unless the models have changed; correct it and send it in a new batch. `;
}

function retryView(batch: Batch, nonRetryable: number, location: string): RetryResponse {
  if (batch.retry_of === undefined) throw new Error(`${batch.batch_id} is not a retry`);
  return {
    batch_id: batch.batch_id,
    status: batch.status,
    total_jobs: batch.total_jobs,
    total_tasks: batch.total_jobs,
    job_ids: jobIdsOf(batch.batch_id, batch.total_jobs),
    created_at: batch.created_at,
    message: `${describeRetriedJobs(batch.total_jobs, batch.retry_of)} again as a new batch. ${describeLastingFailures(nonRetryable)}Progress and results: ${location}.`,
    retry_of: batch.retry_of,
  };
}
