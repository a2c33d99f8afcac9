import type { Deployment } from '../operations/table.ts';
import { Problem } from './problem.ts';
import type { ApiRequest } from './request.ts';

/** The same for an id that is none, an unknown, an expired and another tenant's batch. */
export function batchNotFound(): Problem {
  return new Problem('batch-not-found', 'You have no batch with this batch_id (a UUID).');
}

export function jobNotFound(): Problem {
  return new Problem('job-not-found', 'The batch has no job with this job_id (a UUID).');
}

export function patchBatchNotFound(total: number | null): Problem {
  return new Problem(
    'patch-batch-not-found',
    total === null
      ? 'The job has no patch-batches: it is not planned yet, or failed before it was.'
      : `patch_batch_idx must be from 0 to ${total - 1} in this job.`,
  );
}

/** @throws Problem on a deployment that lacks the operation; it gives the URL on V2 */
export function requireDeployment(
  { deployment, v2Url, path }: ApiRequest,
  deployments: readonly Deployment[],
): void {
  if (deployments.includes(deployment)) return;
  const url = v2Url === null ? '' : `: ${v2Url}${path}`;
  throw new Problem('only-on-v2', `This operation exists on the V2 deployment${url}`);
}

export function noSuchPath({ path, baseUrl }: ApiRequest): Problem {
  return new Problem(
    'not-found',
    `No operation of this API has the path ${path}; ${baseUrl}/docs lists the operations.`,
  );
}
