import { MAX_REDELIVERIES, REDELIVERY_INTERVAL_SECONDS } from '../../domain/delivery/redelivery.ts';
import { TESTS_PER_MINUTE } from '../../domain/delivery/test-delivery.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ProblemSlug } from '../http/problem-types.ts';
import { EXAMPLES } from './examples.ts';
import { type HeaderName, RATE_LIMIT_HEADERS } from './headers.ts';
import type { ParameterName } from './parameters.ts';
import type { SchemaName } from './schemas.ts';

export interface OperationSpecification {
  readonly operationId: string;
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly tag: 'Batches' | 'Service';
  readonly summary: string;
  readonly description: string;
  /** Whether V1 answers 404 here and leaves the operation out of its document. */
  readonly onlyV2?: true;
  /** Whether it answers without a key. */
  readonly open?: true;
  readonly parameters: readonly ParameterName[];
  readonly body?: { readonly schema: SchemaName; readonly example: unknown };
  readonly answer: {
    readonly status: 200 | 202;
    readonly description: string;
    readonly headers: readonly HeaderName[];
    readonly content:
      | { readonly schema: SchemaName; readonly example: unknown }
      | 'text/html'
      | 'openapi';
  };
  /** Beside those that every operation may answer with. */
  readonly problems: readonly ProblemSlug[];
}

/** Every operation there is, as the published document tells it. GET addresses take HEAD too. */
export const OPERATIONS: readonly OperationSpecification[] = [
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
    description: `What a creation with this body would meet: per job its area, cells, patch-batches and model, or the error it would fail with; in all the expected time and the quota. Judges the body as a creation does, and plans as the pipeline does: the numbers are those the jobs will have. Stores nothing and takes nothing of the quota. Plans no further job after ${LIMITS.estimateSeconds} seconds, and says which are left.`,
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
      'Ends a batch before its time. Finished jobs stay as they are; all others fail with `cancelled`, the batch ends as `failed` or `partial`, and its webhook is sent. A second request is harmless.',
    parameters: ['batchId'],
    answer: {
      status: 202,
      description: 'The status, without its jobs',
      headers: ['Location', 'Retry-After', 'Cache-Control'],
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
    description:
      'Runs the failed jobs of a finished batch again, as a new batch with the same metadata, model and webhook; patch-batches that were done are not predicted again. Asked for again, it answers with the same new batch. It counts against the quota as any batch does.',
    parameters: ['batchId'],
    answer: {
      status: 202,
      description: 'The new batch',
      headers: ['Location', 'Retry-After', ...RATE_LIMIT_HEADERS, 'Cache-Control'],
      content: { schema: 'BatchRetried', example: EXAMPLES.retried },
    },
    problems: ['batch-not-found', 'not-retryable', 'quota-exceeded'],
  },
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
  {
    operationId: 'getDeliveries',
    method: 'get',
    path: '/v1/batch/{batch_id}/deliveries',
    tag: 'Batches',
    summary: 'Delivery log',
    description:
      'Every attempt to deliver the batch’s webhook that has ended, and what comes next. Empty while the batch is unfinished, and without a `webhook_url`.',
    parameters: ['batchId', 'ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The log as it is now',
      headers: ['Retry-After', 'ETag', 'Cache-Control'],
      content: { schema: 'Deliveries', example: EXAMPLES.deliveries },
    },
    problems: ['batch-not-found'],
  },
  {
    operationId: 'redeliver',
    method: 'post',
    path: '/v1/batch/{batch_id}/deliveries',
    tag: 'Batches',
    summary: 'Deliver a webhook again',
    description: `Sends the outcome of a finished batch once more, whatever became of it before: a new body with fresh signed URLs and the member \`redelivery\`, under a \`webhook-id\` of its own, on a new schedule of retries. Once in ${REDELIVERY_INTERVAL_SECONDS} s, at most ${MAX_REDELIVERIES} times a batch. The request has no body.`,
    parameters: ['batchId'],
    answer: {
      status: 202,
      description: 'The first attempt is due now',
      headers: ['Retry-After', 'Cache-Control'],
      content: { schema: 'Deliveries', example: EXAMPLES.redelivered },
    },
    problems: ['batch-not-found', 'not-redeliverable'],
  },
  {
    operationId: 'testWebhook',
    method: 'post',
    path: '/v1/webhooks/test',
    tag: 'Service',
    summary: 'Test a webhook',
    description: `Sends a signed sample of \`batch.completed\`, marked with \`test: true\`, to your receiver as a real delivery would go, once, and tells what came of it. The secret is not kept. At most ${TESTS_PER_MINUTE} a minute.`,
    parameters: ['webhookSecret'],
    body: { schema: 'TestWebhook', example: EXAMPLES.testWebhook },
    answer: {
      status: 200,
      description: 'What the receiver did',
      headers: ['Cache-Control'],
      content: { schema: 'WebhookTested', example: EXAMPLES.webhookTested },
    },
    problems: ['not-json', 'not-utf-8', 'body-too-large', 'media-type', 'validation'],
  },
  {
    operationId: 'getUsage',
    method: 'get',
    path: '/v1/usage',
    tag: 'Service',
    summary: 'Usage',
    description:
      'What your tenant took of today’s quota and what is left. A batch counts its jobs and their ground area when it is created; a job that can only fail counts no area; jobs that fail by our fault are given back when their batch ends.',
    parameters: ['ifNoneMatch'],
    answer: {
      status: 200,
      description: 'Today, in UTC',
      headers: ['ETag', 'Cache-Control'],
      content: { schema: 'Usage', example: EXAMPLES.usage },
    },
    problems: [],
  },
  {
    operationId: 'getLimits',
    method: 'get',
    path: '/v1/limits',
    tag: 'Service',
    summary: 'Limits',
    description: 'What a request may ask for, and how long results stay.',
    parameters: ['ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The limits in force',
      headers: ['ETag', 'Cache-Control'],
      content: { schema: 'Limits', example: EXAMPLES.limits },
    },
    problems: [],
  },
  {
    operationId: 'getModels',
    method: 'get',
    path: '/v1/models',
    tag: 'Service',
    summary: 'Models',
    description:
      'The models of this deployment: what they predict, where they hold, how accurate they are, under which licences.',
    parameters: ['ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The models, in the order in which they are tried',
      headers: ['ETag', 'Cache-Control'],
      content: { schema: 'Models', example: EXAMPLES.models },
    },
    problems: [],
  },
  {
    operationId: 'getHealth',
    method: 'get',
    path: '/health',
    tag: 'Service',
    summary: 'Health',
    description: 'Whether the API answers, in which version and deployment.',
    open: true,
    parameters: [],
    answer: {
      status: 200,
      description: 'It answers',
      headers: ['Cache-Control'],
      content: { schema: 'Health', example: EXAMPLES.health },
    },
    problems: [],
  },
  {
    operationId: 'getOpenApi',
    method: 'get',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'This specification',
    description: 'OpenAPI 3.1, with the address it was asked at as its server.',
    open: true,
    parameters: ['ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The document',
      headers: ['ETag', 'Cache-Control'],
      content: 'openapi',
    },
    problems: [],
  },
  {
    operationId: 'getDocs',
    method: 'get',
    path: '/docs',
    tag: 'Service',
    summary: 'The reference as a page',
    description: 'This specification for people.',
    open: true,
    parameters: ['ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The page',
      headers: ['ETag', 'Cache-Control'],
      content: 'text/html',
    },
    problems: [],
  },
  {
    operationId: 'getProblemPage',
    method: 'get',
    path: '/docs/problems/{slug}',
    tag: 'Service',
    summary: 'What a problem means',
    description: 'The page behind the `type` of a problem.',
    open: true,
    parameters: ['slug', 'ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The page',
      headers: ['ETag', 'Cache-Control'],
      content: 'text/html',
    },
    problems: ['not-found'],
  },
];
