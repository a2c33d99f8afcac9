import { dispatchPorts } from '../adapters/dispatch-ports.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { dynamoQuotas } from '../adapters/dynamodb/quotas.ts';
import { dynamoTenantRecords } from '../adapters/dynamodb/tenants.ts';
import { environment } from '../adapters/environment.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import { roleObjects } from '../adapters/s3/role-objects.ts';
import type { Batch } from '../domain/batch/batch.ts';
import { type Retry, type RetryBatchPorts, retryBatch } from '../domain/batch/retry-batch.ts';
import { dispatchBatch } from '../domain/dispatch/dispatch.ts';
import { jobIdsOf } from '../domain/identity.ts';
import { RETRY_DAYS } from '../domain/limits.ts';
import { TransientFailure } from '../domain/transient-failure.ts';
import { logFailure } from '../log.ts';
import { readId, readQuery } from './contract/query.ts';
import type { RetryResponse } from './contract/responses.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { batchNotFound } from './http/not-found.ts';
import { Problem } from './http/problem.ts';
import { quotaProblem } from './http/quota-problem.ts';
import { rateLimitHeaders } from './http/rate-limit-headers.ts';
import { tenantOf } from './http/request.ts';
import { POLL_AFTER_SECONDS, uncached } from './http/response.ts';
import { paths } from './http/routes.ts';

export function retryBatchOperation(ports: RetryBatchPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const retry = await askedFor(ports, tenantOf(request), readId(request, 'batch_id'));
    switch (retry.kind) {
      case 'unknown':
        throw batchNotFound();
      case 'refused':
        throw new Problem('not-retryable', REFUSALS[retry.because]);
      case 'over-quota':
        throw quotaProblem(retry.wanted, retry.allowance, ports.clock());
      case 'accepted': {
        const { batch, allowance, hopeless } = retry;
        const location = `${request.baseUrl}${paths.batchStatus(batch.batchId)}`;
        const response = uncached(202, retryView(batch, hopeless, location), {
          Location: location,
          'Retry-After': String(POLL_AFTER_SECONDS),
          ...rateLimitHeaders(allowance, ports.clock()),
        });
        return { ...response, batchId: batch.batchId };
      }
    }
  };
}

/** The retry's id is settled by then, so that asking again takes it up where it ended. */
async function askedFor(...asked: Parameters<typeof retryBatch>): Promise<Retry> {
  try {
    return await retryBatch(...asked);
  } catch (error) {
    if (!(error instanceof TransientFailure)) throw error;
    throw new Problem('unavailable', 'Too many of your batches are being made; ask again.', {
      headers: { 'Retry-After': '1' },
    });
  }
}

const REFUSALS: Readonly<Record<Extract<Retry, { kind: 'refused' }>['because'], string>> = {
  'not finished': 'The batch is not finished: wait until it is, or cancel it first.',
  'nothing failed': 'None of the batch’s jobs failed: there is nothing to retry.',
  'too old': `The batch was made more than ${RETRY_DAYS} days ago, and its intermediate results may be gone: create a new batch.`,
};

function whichRun(jobs: number, retryOf: string): string {
  return jobs === 1 ? `1 job of batch ${retryOf} is` : `${jobs} jobs of batch ${retryOf} are`;
}

/** They are in the retry all the same: an operator may have mended or added a model since. */
function whatFailsAgain(hopeless: number): string {
  if (hopeless === 0) return '';
  return `${hopeless} failed for a reason that lasts (error_retryable: false) and will fail again, unless the models here have changed: send what you mend as a new batch. `;
}

function retryView(batch: Batch, hopeless: number, location: string): RetryResponse {
  if (batch.retryOf === undefined) throw new Error(`${batch.batchId} is no retry`);
  return {
    batch_id: batch.batchId,
    status: batch.state.status,
    total_jobs: batch.totalJobs,
    total_tasks: batch.totalJobs,
    job_ids: Object.fromEntries(jobIdsOf(batch.batchId, batch.totalJobs).entries()),
    created_at: batch.createdAt,
    message: `${whichRun(batch.totalJobs, batch.retryOf)} run again as a new batch. ${whatFailsAgain(hopeless)}Progress and results: ${location}.`,
    retry_of: batch.retryOf,
  };
}

export const handler = handleKeyed('retry-batch', (table) => {
  const env = environment(
    'WORK_BUCKET',
    'STATE_MACHINE_ARN',
    'RUNNING_BATCHES',
    'RUNNING_BATCHES_PER_TENANT',
    'RETENTION_DAYS',
  );
  const dispatching = dispatchPorts(table, env, logFailure('start-batch'));
  return retryBatchOperation({
    batches: dynamoBatchStore(table),
    jobs: dynamoJobStore(table),
    jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    dispatch: (batch) => dispatchBatch(dispatching, batch),
    clock: table.clock,
    retentionDays: env.RETENTION_DAYS,
    onDispatchFailure: logFailure('dispatch-batch'),
  });
});
