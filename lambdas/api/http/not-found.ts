import type { Timestamp } from '../../domain/clock.ts';
import { Problem } from './problem.ts';
import type { ApiRequest, Deployment } from './request.ts';
import { POLL_AFTER_SECONDS } from './response.ts';

/**
 * Returns the same problem for an invalid ID, an unknown batch and another tenant's batch. An expired batch is unknown.
 */
export function batchNotFound(): Problem {
  return new Problem('batch-not-found', 'Your tenant has no batch with this batch_id (a UUID).');
}

/** @param excluded the unknown ID, if the query parameter `exclude` names it */
export function jobNotFound(excluded?: string): Problem {
  return new Problem(
    'job-not-found',
    excluded === undefined
      ? 'The batch has no job with this job_id (a UUID).'
      : `The batches of this total have no job with the ID ${JSON.stringify(excluded.slice(0, 40))}, which \`exclude\` names.`,
  );
}

export function resultNotFound(failed: boolean): Problem {
  return failed
    ? new Problem('result-not-found', 'The job failed, so it has no result.')
    : new Problem('result-not-found', 'The job is not completed yet.', {
        headers: { 'Retry-After': String(POLL_AFTER_SECONDS) },
      });
}

/** Returns the same problem whether such a batch existed or not, because the expiry time follows from the ID. */
export function resultsExpired(at: Timestamp): Problem {
  return new Problem(
    'results-expired',
    `The results of a batch with this batch_id expired at ${at}.`,
    {
      resultsExpiredAt: at,
    },
  );
}

export function modelNotFound(): Problem {
  return new Problem(
    'model-not-found',
    'The service has no such model; GET /v1/models lists its models.',
  );
}

export function patchBatchNotFound(total: number | null): Problem {
  return new Problem(
    'patch-batch-not-found',
    total === null
      ? 'The job has no patch-batches, because it is not planned yet or failed before planning.'
      : `patch_batch_idx must be from 0 to ${total - 1} in this job.`,
  );
}

/** @throws Problem 404 on a deployment without the operation, with the URL on V2 */
export function requireDeployment(
  { deployment, v2Url, path }: ApiRequest,
  deployments: readonly Deployment[],
): void {
  if (deployments.includes(deployment)) return;
  const url = v2Url === null ? '' : `: ${v2Url}${path}`;
  throw new Problem('only-on-v2', `This operation exists only on the V2 deployment${url}`);
}

export function noSuchPath({ path, baseUrl }: ApiRequest): Problem {
  return new Problem(
    'not-found',
    `No operation of this API has the path ${path}; ${baseUrl}/docs lists the operations.`,
  );
}

export function noResults(expiredAt: Timestamp | null): Problem {
  return expiredAt === null ? batchNotFound() : resultsExpired(expiredAt);
}
