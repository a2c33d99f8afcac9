import { ESTIMATED_AT_ONE } from '../../../domain/admission/request-rate.ts';
import { LIMITS, RETRY_DAYS } from '../../../domain/limits.ts';
import { EXAMPLES } from '../examples.ts';
import { RATE_LIMIT_HEADERS } from '../headers.ts';
import type { OperationSpecification } from '../operation.ts';

/** Making batches and following them. */
export const BATCHES: readonly OperationSpecification[] = [
  {
    operationId: 'createBatch',
    method: 'post',
    path: '/v1/batch',
    tag: 'Batches',
    summary: 'Create a batch',
    description:
      'Answers at once; the jobs are worked on afterwards. What only geometry or a model can judge fails its job, never the request. A slash at the end of the path changes nothing. `Content-Encoding: gzip` is accepted.',
    parameters: ['idempotencyKey', 'webhookSecret'],
    body: { schema: 'CreateBatch', example: EXAMPLES.createBatch },
    answer: {
      status: 202,
      description: 'Accepted',
      headers: [
        'Location',
        'Retry-After',
        'Cache-Control',
        'Idempotent-Replayed',
        ...RATE_LIMIT_HEADERS,
      ],
      links: ['status', 'job', 'cancel', 'retry', 'deliveries'],
      content: { schema: 'BatchCreated', example: EXAMPLES.created },
    },
    problems: [
      'not-json',
      'not-utf-8',
      'idempotency-key-invalid',
      'idempotency-key-reused',
      'body-too-large',
      'media-type',
      'validation',
      'quota-exceeded',
    ],
  },
  {
    operationId: 'estimateBatch',
    method: 'post',
    path: '/v1/batch/estimate',
    tag: 'Batches',
    summary: 'Estimate a batch',
    description: `What a creation with this body would meet: per job its area, cells, patch-batches and model, or the error it would fail with; in all the expected time and the quota. Judges the body as a creation does, and plans as the pipeline does: the numbers are those the jobs will have. Stores nothing and takes nothing of the quota. Plans no further job after ${LIMITS.estimateSeconds} seconds, and says which are left. Counts as one request for each ${ESTIMATED_AT_ONE.jobs} jobs or ${ESTIMATED_AT_ONE.bodyBytes / 1_000} kB begun, at most half of \`requests_at_once\` (\`GET /v1/limits\`).`,
    parameters: ['webhookSecret'],
    body: { schema: 'CreateBatch', example: EXAMPLES.createBatch },
    answer: {
      status: 200,
      description: 'The estimate',
      headers: ['Cache-Control'],
      content: { schema: 'Estimate', example: EXAMPLES.estimate },
    },
    problems: ['not-json', 'not-utf-8', 'body-too-large', 'media-type', 'validation'],
  },
  {
    operationId: 'listBatches',
    method: 'get',
    path: '/v1/batch',
    tag: 'Batches',
    summary: 'List batches',
    description:
      'Your batches, newest first, each as `GET …/status?jobs=none` tells it. No page repeats a batch or skips one that was there at the first; one made within the last second or so may not be listed yet. A page ends early, with more after it, when its batches are many or large.',
    parameters: ['status', 'batchesLimit', 'cursor', 'ifNoneMatch'],
    answer: {
      status: 200,
      description: 'One page',
      headers: ['ETag', 'Cache-Control'],
      links: ['statusOfFirst', 'nextBatches'],
      content: { schema: 'BatchList', example: EXAMPLES.batchList },
    },
    problems: ['cursor-invalid'],
  },
  {
    operationId: 'getBatchStatus',
    method: 'get',
    path: '/v1/batch/{batch_id}/status',
    tag: 'Batches',
    summary: 'Batch status',
    description:
      'Counts, progress and the jobs, with a signed URL for each finished raster. URLs are made anew by each request and live 24 hours.',
    parameters: ['batchId', 'jobs', 'jobsLimit', 'cursor', 'ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The batch as it is now',
      headers: ['Retry-After', 'ETag', 'Cache-Control'],
      links: ['jobOfFirst', 'cancel', 'retry', 'deliveries', 'redelivery'],
      content: { schema: 'BatchStatus', example: EXAMPLES.batchStatus },
    },
    problems: ['cursor-invalid', 'batch-not-found', 'signing-key-unavailable'],
  },
  {
    operationId: 'cancelBatch',
    method: 'post',
    path: '/v1/batch/{batch_id}/cancel',
    tag: 'Batches',
    summary: 'Cancel a batch',
    description:
      'Ends a batch before its time. Finished jobs stay as they are; all others fail with `cancelled`, the batch ends as `failed` or `partial` (as `completed` if every job was done by then), and its webhook is sent. Asked for again, it does nothing more: a batch that has ended, by this too, is answered with 409.',
    parameters: ['batchId'],
    answer: {
      status: 202,
      description: 'The status, without its jobs',
      headers: ['Location', 'Retry-After', 'Cache-Control'],
      links: ['status', 'retry', 'deliveries'],
      content: { schema: 'BatchStatus', example: EXAMPLES.cancelled },
    },
    problems: ['batch-not-found', 'batch-finished'],
  },
  {
    operationId: 'retryBatch',
    method: 'post',
    path: '/v1/batch/{batch_id}/retry',
    tag: 'Batches',
    summary: 'Retry a batch',
    description: `Runs the failed jobs of a finished batch again, up to ${RETRY_DAYS} days after it was made, as a new batch with the same metadata, model and webhook; patch-batches that were done are not predicted again. Every failed job runs again; where \`error_retryable\` is false (an invalid polygon, say) it fails again, unless the models here have changed, and \`message\` says how many such jobs there are. Asked for again, it answers with the same new batch. It counts against the quota as any batch does.`,
    parameters: ['batchId'],
    answer: {
      status: 202,
      description: 'The new batch',
      headers: ['Location', 'Retry-After', ...RATE_LIMIT_HEADERS, 'Cache-Control'],
      links: ['status', 'job', 'cancel'],
      content: { schema: 'BatchRetried', example: EXAMPLES.retried },
    },
    problems: ['batch-not-found', 'not-retryable', 'quota-exceeded'],
  },
];
