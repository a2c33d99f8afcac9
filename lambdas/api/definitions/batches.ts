import { inHectares, REFUNDED_PER_DAY } from '../../domain/admission/quota.ts';
import {
  type BodySize,
  CREATION_PER_UNIT,
  ESTIMATE_PER_UNIT,
  TOTAL_PER_UNIT,
} from '../../domain/admission/request-rate.ts';
import { LIMITS, RETRY_DAYS } from '../../domain/limits.ts';
import { RATE_LIMIT_HEADERS } from '../specification/documented-headers.ts';
import { groupedDigits } from '../specification/reference/markdown.ts';
import { createRequest, createRequestExample, retryRequest } from './batch-requests.ts';
import {
  batchListResponse,
  batchStatusResponse,
  creationResponse,
  retryResponse,
} from './batch-responses.ts';
import { BOTH, type OperationDefinitions } from './definition.ts';
import { estimateResponse } from './estimate-response.ts';
import batchStatus from './examples/batch-status.json' with { type: 'json' };
import total from './examples/batch-total.json' with { type: 'json' };
import created from './examples/create-batch.json' with { type: 'json' };
import estimated from './examples/estimate-batch.json' with { type: 'json' };
import { GEOJSON } from './geojson.ts';
import { itemCollection, resultTable } from './result-table.ts';
import { totalResponse } from './total-response.ts';

const RETRIED = {
  ...created,
  total_jobs: 1,
  total_tasks: 1,
  job_ids: { '0': created.job_ids['0'] },
  message: `1 job of batch 01a1fd70-3c1e-7a52-8d4b-5f6a7b8c9d0e runs again as a new batch. Progress and results: https://v2.soil.example/v1/batch/${created.batch_id}/status.`,
  retry_of: '01a1fd70-3c1e-7a52-8d4b-5f6a7b8c9d0e',
};

export const BATCH_OPERATIONS = {
  'create-batch': {
    operationId: 'createBatch',
    method: 'POST',
    path: '/v1/batch',
    handler: 'create-batch',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'Create a batch',
    description: `Responds at once and runs the jobs asynchronously. An invalid polygon or a model without data fails its job, never the request. A trailing slash in the path is ignored. \`Content-Encoding: gzip\` is accepted. ${weightText(CREATION_PER_UNIT)}`,
    parameters: ['idempotencyKey', 'webhookSecret'],
    body: { schema: createRequest, example: createRequestExample },
    response: {
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
      content: { schema: creationResponse, example: created },
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
  'estimate-batch': {
    operationId: 'estimateBatch',
    method: 'POST',
    path: '/v1/batch/estimate',
    handler: 'create-batch',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'Estimate a batch',
    description: `Returns what creating a batch with this body would yield: for each job its area, cells, patch-batches and model, or the error it would fail with; for the batch the expected time, cost and quota. The body is validated as for a creation and the jobs are planned as the pipeline plans them, so the numbers are the same. Nothing is stored or charged to the quota. Planning stops after ${LIMITS.estimateCpuSeconds} seconds of CPU time, which 1,000 ordinary fields do not reach; the response marks the jobs that are left. ${weightText(ESTIMATE_PER_UNIT)}`,
    parameters: ['webhookSecret'],
    body: { schema: createRequest, example: createRequestExample },
    response: {
      status: 200,
      description: 'The estimate',
      headers: ['Cache-Control'],
      content: { schema: estimateResponse, example: estimated },
    },
    problems: ['not-json', 'not-utf-8', 'body-too-large', 'media-type', 'validation'],
  },
  'list-batches': {
    operationId: 'listBatches',
    method: 'GET',
    path: '/v1/batch',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'List batches',
    description:
      'Your batches, newest first, each as `GET …/status?jobs=none` returns it. No page repeats a batch or skips one that existed when the first page was read. A batch created within the last second may not be listed yet. A page may hold fewer batches than `limit` when they are large.',
    parameters: [
      'status',
      'createdAfter',
      'createdBefore',
      'batchName',
      'batchesLimit',
      'cursor',
      'ifNoneMatch',
    ],
    response: {
      status: 200,
      description: 'One page',
      headers: ['ETag', 'Cache-Control'],
      links: ['statusOfFirst', 'nextBatches'],
      content: {
        schema: batchListResponse,
        example: {
          batches: [{ ...batchStatus, jobs: [], models: [] }],
          has_more: false,
          next_cursor: null,
        },
      },
    },
    problems: ['cursor-invalid'],
  },
  'batch-status': {
    operationId: 'getBatchStatus',
    method: 'GET',
    path: '/v1/batch/{batch_id}/status',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'Batch status',
    description:
      'Counts, progress and the jobs, with a signed URL for each finished raster. Each request signs new URLs, valid for 24 hours. `result_url`, `preview_url` and `item_url` last as long as the result.',
    parameters: ['batchId', 'jobs', 'jobsLimit', 'cursor', 'ifNoneMatch'],
    response: {
      status: 200,
      description: 'The current state of the batch',
      headers: ['Retry-After', 'ETag', 'Cache-Control'],
      links: ['jobOfFirst', 'cancel', 'retry', 'deliveries', 'redelivery'],
      content: { schema: batchStatusResponse, example: batchStatus },
    },
    problems: ['cursor-invalid', 'batch-not-found', 'signing-key-unavailable'],
  },
  'batch-results': {
    operationId: 'getBatchResults',
    method: 'GET',
    path: '/v1/batch/{batch_id}/results',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'Results of a batch',
    description: `The jobs of a batch as one table, in the order of the request: a row for each, whether it is completed, failed or unfinished.

\`geojson\`: a Feature for each job, with its polygon. \`csv\`: the same columns without the polygon (RFC 4180, UTF-8), with \`properties\` as JSON text. Only the first page has the header row, so that the pages one after the other are one file. An apostrophe precedes what a spreadsheet would run as a formula, at the start of a text and after a semicolon, tab or line break in it; tabs and line breaks of \`properties\` are spaces. \`geojson\` has every text as it is. \`stac\`: an ItemCollection with the Item of each result; Items of other jobs have no assets, and \`soil:status\` and \`soil:error_message\` say why.

A page ends by its size. The link \`next\`, in the header \`Link\` and in \`links\`, leads to the next page.`,
    parameters: ['batchId', 'resultsFormat', 'resultsCursor', 'ifNoneMatch'],
    response: {
      status: 200,
      description: 'One page of the table as it is now',
      headers: ['Link', 'Batch-Finished', 'Retry-After', 'ETag', 'Cache-Control'],
      content: [
        { mediaType: GEOJSON, schemas: [resultTable, itemCollection] },
        { mediaType: 'text/csv' },
      ],
    },
    problems: ['cursor-invalid', 'batch-not-found', 'results-expired'],
  },
  'batch-total': {
    operationId: 'getBatchTotal',
    method: 'GET',
    path: '/v1/batch/{batch_id}/total',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'Total of batches',
    description: `Area, mean and stock of all completed jobs together, for each model and period of data, with the interval of one polygon that has all their cells: the errors of neighbouring fields are correlated, so neither bounds nor variances of the jobs add up to it (\`docs/rasters.md\` derives it). \`left_out\` counts the other jobs. Counts against the request rate as one request for each ${TOTAL_PER_UNIT.jobs} jobs or ${TOTAL_PER_UNIT.bodyBytes / 1_000} kB of their polygons, whichever is more.`,
    parameters: ['batchId', 'moreBatches', 'excludedJobs', 'ifNoneMatch'],
    response: {
      status: 200,
      description: 'The totals as they are now',
      headers: ['Retry-After', 'ETag', 'Cache-Control'],
      content: { schema: totalResponse, example: total },
    },
    problems: ['batch-not-found', 'job-not-found', 'results-expired'],
  },
  'cancel-batch': {
    operationId: 'cancelBatch',
    method: 'POST',
    path: '/v1/batch/{batch_id}/cancel',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'Cancel a batch',
    description: `Stops an unfinished batch. Finished jobs stay as they are; all others fail with \`cancelled\`. Jobs that were not planned yet are refunded to the day that was charged, while at most ${groupedDigits(REFUNDED_PER_DAY.jobs)} jobs and ${groupedDigits(inHectares(REFUNDED_PER_DAY.squareMetres))} ha of that day are refunded. The batch ends as \`failed\` or \`partial\` (as \`completed\` if every job was finished already), and its webhook is sent. For a finished or cancelled batch the response is 409.`,
    parameters: ['batchId'],
    response: {
      status: 202,
      description: 'The batch status, without jobs',
      headers: ['Location', 'Retry-After', 'Cache-Control'],
      links: ['status', 'retry', 'deliveries'],
      content: { schema: batchStatusResponse, example: { ...batchStatus, jobs: [], models: [] } },
    },
    problems: ['batch-not-found', 'batch-finished'],
  },
  'retry-batch': {
    operationId: 'retryBatch',
    method: 'POST',
    path: '/v1/batch/{batch_id}/retry',
    handler: 'create-batch',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'Retry a batch',
    description: `Runs the failed jobs of a finished batch again, up to ${RETRY_DAYS} days after it was completed, as a new batch with the same metadata, model and webhook. Completed patch-batches are not predicted again. Without a body every failed job runs again. A job with \`error_retryable\` false (an invalid polygon, for example) fails again, unless the models have changed; \`message\` has the number of such jobs. A repeated request with the same selection returns the same new batch; another selection is 409. The retry is charged to the quota as any batch is.`,
    parameters: ['batchId'],
    body: { schema: retryRequest, example: { only: 'retryable' }, optional: true },
    response: {
      status: 202,
      description: 'The new batch',
      headers: ['Location', 'Retry-After', ...RATE_LIMIT_HEADERS, 'Cache-Control'],
      links: ['status', 'job', 'cancel'],
      content: { schema: retryResponse, example: RETRIED },
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
  },
} as const satisfies OperationDefinitions;

/** How a body counts against the request rate, for the OpenAPI document. */
function weightText({ jobs, bodyBytes }: BodySize): string {
  return `Counts against the request rate as one request for each ${jobs} jobs or ${bodyBytes / 1_000} kB of the decompressed body, whichever is more, but at most as half of \`requests_at_once\` (\`GET /v1/limits\`).`;
}
