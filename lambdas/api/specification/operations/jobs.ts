import { EXAMPLES } from '../examples.ts';
import type { OperationSpecification } from '../operation.ts';

/** What V2 tells of the inside of a batch. */
export const JOBS: readonly OperationSpecification[] = [
  {
    operationId: 'getJobStatus',
    method: 'get',
    path: '/v1/batch/{batch_id}/jobs/{job_id}/status',
    tag: 'Batches',
    summary: 'Job status',
    description: 'One job and a page of its patch-batches.',
    onlyV2: true,
    parameters: ['batchId', 'jobId', 'limit', 'cursor'],
    answer: {
      status: 200,
      description: 'The job as it is now',
      headers: ['Retry-After', 'Cache-Control'],
      links: ['patchBatch', 'nextPatchBatches', 'status'],
      content: { schema: 'JobStatus', example: EXAMPLES.jobStatus },
    },
    problems: ['cursor-invalid', 'batch-not-found', 'job-not-found', 'signing-key-unavailable'],
  },
  {
    operationId: 'getPatchBatchStatus',
    method: 'get',
    path: '/v1/batch/{batch_id}/jobs/{job_id}/patches/{patch_batch_idx}/status',
    tag: 'Batches',
    summary: 'Patch-batch status',
    description: 'One patch-batch: the part of a job that is predicted in one go.',
    onlyV2: true,
    parameters: ['batchId', 'jobId', 'patchBatchIdx', 'ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The patch-batch as it is now',
      headers: ['Retry-After', 'ETag', 'Cache-Control'],
      content: { schema: 'PatchBatch', example: EXAMPLES.patchBatch },
    },
    problems: ['batch-not-found', 'job-not-found', 'patch-batch-not-found'],
  },
];
