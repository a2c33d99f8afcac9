import * as z from 'zod/mini';
import { INCONSISTENT, isConsistent, jobFields } from '../../domain/job/reading/job-schema.ts';
import { modelDescription } from '../../domain/job/reading/model-description.ts';
import { patchBatchSchema } from '../../domain/patch-batch/patch-batch-schema.ts';
import { batchId, count } from '../../domain/wire.ts';
import { named } from '../specification/published.ts';
import { BOTH, ONLY_V2, type OperationDefinitions } from './definition.ts';
import jobStatus from './examples/job-status.json' with { type: 'json' };
import patchBatchStatus from './examples/patch-batch-status.json' with { type: 'json' };
import { GEOJSON } from './geojson.ts';
import { pageFields } from './page-fields.ts';

named('PatchBatch', patchBatchSchema);

const link = (what: string) =>
  z
    .nullable(z.url())
    .check(z.describe(`${what}; needs your API key. Null unless the job is completed`));

const linkFields = {
  result_url: link('Lasts as long as the result: redirects to the raster at a newly signed URL'),
  preview_url: link('A map of the result as SVG'),
  item_url: link('The result as a STAC Item'),
} as const;

/** The fields of a job in a status. Webhooks lack the links, because they belong to no deployment. */
const statusJobFields = { ...jobFields, ...linkFields } as const;

interface Linked {
  readonly status: string;
  readonly result_url: string | null;
  readonly preview_url: string | null;
  readonly item_url: string | null;
}

function hasItsLinks({ status, ...job }: Linked): boolean {
  const links = [job.result_url, job.preview_url, job.item_url];
  return links.every((url) => (url !== null) === (status === 'completed'));
}

const LINKS_INCONSISTENT = 'status and links contradict each other';

export const jobModels = z
  .array(named('ModelDescription', modelDescription))
  .check(z.describe('The models of the jobs in this response, once each'));

export const statusJob = named(
  'Job',
  z
    .strictObject(statusJobFields)
    .check(z.refine(isConsistent, INCONSISTENT), z.refine(hasItsLinks, LINKS_INCONSISTENT)),
);

export const jobStatusResponse = named(
  'JobDetail',
  z
    .strictObject({
      ...statusJobFields,
      batch_id: batchId,
      models: jobModels,
      properties: z
        .nullable(z.record(z.string(), z.unknown()))
        .check(z.describe('Those of the job, or else of its Feature; null if there are none')),
      total_patch_batches: z.nullable(count),
      completed_patch_batches: z.nullable(count),
      patch_batches: z.array(patchBatchSchema).check(z.describe('One page of patch-batches')),
      ...pageFields,
    })
    .check(
      z.refine(isConsistent, INCONSISTENT),
      z.refine(hasItsLinks, LINKS_INCONSISTENT),
      z.refine(
        (job) => job.has_more === (job.next_cursor !== null),
        'has_more contradicts next_cursor',
      ),
    ),
);

export const SVG = 'image/svg+xml';

export const JOB_OPERATIONS = {
  'job-status': {
    operationId: 'getJobStatus',
    method: 'GET',
    path: '/v1/batch/{batch_id}/jobs/{job_id}/status',
    handler: 'batches',
    auth: 'key',
    deployments: ONLY_V2,
    tag: 'Batches',
    summary: 'Job status',
    description: 'One job and a page of its patch-batches.',
    parameters: ['batchId', 'jobId', 'limit', 'cursor'],
    response: {
      status: 200,
      description: 'The current state of the job',
      headers: ['Retry-After', 'Cache-Control'],
      links: ['patchBatch', 'nextPatchBatches', 'status'],
      content: { schema: jobStatusResponse, example: jobStatus },
    },
    problems: ['cursor-invalid', 'batch-not-found', 'job-not-found', 'signing-key-unavailable'],
  },
  result: {
    operationId: 'getResult',
    method: 'GET',
    path: '/v1/batch/{batch_id}/jobs/{job_id}/result',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'Result of a job',
    description:
      'A link that lasts as long as the result: redirects to a newly signed URL. S3 accepts a URL only for the method that it was signed for, so a HEAD request gets one for HEAD. Do not send `Authorization` to the signed URL: S3 rejects it with 400. curl, browsers, `fetch` of Node, requests, httpx and GDAL (`GDAL_HTTP_HEADERS`, with `CPL_VSIL_CURL_USE_HEAD=NO`) drop the header on a redirect to another host. wget, Python’s urllib and Java’s `HttpClient` send it: use `add_unredirected_header` with urllib; with the others do not follow the redirect, but request `Location` without the header.',
    parameters: ['batchId', 'jobId'],
    response: {
      status: 302,
      description: 'The raster is at `Location`, for 24 hours',
      headers: ['Location', 'Cache-Control'],
      content: 'none',
    },
    problems: [
      'batch-not-found',
      'job-not-found',
      'result-not-found',
      'results-expired',
      'signing-key-unavailable',
    ],
  },
  'result-preview': {
    operationId: 'getResultPreview',
    method: 'GET',
    path: '/v1/batch/{batch_id}/jobs/{job_id}/preview',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'Preview of a result',
    description:
      'A map of one band as SVG, at most 1024 pixels wide and high, with legend, scale bar and unit. Its colours span the band’s `display_range`, so that previews of one model compare.',
    parameters: ['batchId', 'jobId', 'band', 'ifNoneMatch'],
    response: {
      status: 200,
      description: 'The map',
      headers: ['ETag', 'Cache-Control'],
      content: { mediaType: SVG },
    },
    problems: [
      'batch-not-found',
      'job-not-found',
      'result-not-found',
      'results-expired',
      'model-not-found',
    ],
  },
  'result-item': {
    operationId: 'getResultItem',
    method: 'GET',
    path: '/v1/batch/{batch_id}/jobs/{job_id}/item',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'STAC Item of a result',
    description:
      'The result as a STAC 1.1 Item with the extensions file, processing, projection and raster: the polygon, the period of the data, the bands with their statistics, and links to the result, its preview and its style, which need your API key. A link `derived_from` names the model (`mlm:name`). `soil:summary`, `soil:warnings` and `soil:properties` are those of the job. SHA-256 digests in hex: `soil:model_sha256` of the model’s files at prediction, by path in the model pack (a covariate at a URL has none); `soil:polygon_sha256` of the polygon as JSON without white space, fields in the order sent; `soil:geometry_sha256` likewise of the item’s geometry. `processing:software` has the versions of the service that made the result and of the model.',
    parameters: ['batchId', 'jobId', 'ifNoneMatch'],
    response: {
      status: 200,
      description: 'The item',
      headers: ['ETag', 'Cache-Control'],
      content: { mediaType: GEOJSON },
    },
    problems: [
      'batch-not-found',
      'job-not-found',
      'result-not-found',
      'results-expired',
      'model-not-found',
    ],
  },
  'patch-batch-status': {
    operationId: 'getPatchBatchStatus',
    method: 'GET',
    path: '/v1/batch/{batch_id}/jobs/{job_id}/patches/{patch_batch_idx}/status',
    handler: 'batches',
    auth: 'key',
    deployments: ONLY_V2,
    tag: 'Batches',
    summary: 'Patch-batch status',
    description: 'One patch-batch: a part of a job, predicted as one unit of work.',
    parameters: ['batchId', 'jobId', 'patchBatchIdx', 'ifNoneMatch'],
    response: {
      status: 200,
      description: 'The current state of the patch-batch',
      headers: ['Retry-After', 'ETag', 'Cache-Control'],
      content: { schema: patchBatchSchema, example: patchBatchStatus },
    },
    problems: ['batch-not-found', 'job-not-found', 'patch-batch-not-found'],
  },
} as const satisfies OperationDefinitions;
