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

/** @throws Problem on any deployment but V2 */
export function requireV2(request: ApiRequest): void {
  if (request.deployment === 'v2') return;
  const address = request.v2Url === null ? '' : `: ${request.v2Url}${request.path}`;
  throw new Problem('only-on-v2', `This operation exists on the V2 deployment${address}`);
}
