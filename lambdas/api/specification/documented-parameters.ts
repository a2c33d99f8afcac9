import * as z from 'zod/mini';
import { batchState } from '../../domain/batch/batch-schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  jobsFilter,
  pageLimit,
  patchBatchIdx,
  resultsFormat,
  styleEnd,
  time,
} from '../http/parameters.ts';
import { PROBLEM_TYPES } from '../http/problem-types.ts';
import type { Parameter } from './openapi.ts';
import { toOpenApiSchema } from './schemas.ts';

const path = (name: string, schema: z.core.$ZodType, description: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: toOpenApiSchema(schema),
});

const query = (name: string, schema: z.core.$ZodType, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: toOpenApiSchema(schema),
});

const header = (name: string, schema: z.core.$ZodType, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: toOpenApiSchema(schema),
});

export const PARAMETERS = {
  batchId: path('batch_id', z.uuid(), 'The `batch_id` that the creation returned'),
  jobId: path('job_id', z.uuid(), 'One of the `job_ids` that the creation returned'),
  patchBatchIdx: path(
    'patch_batch_idx',
    patchBatchIdx,
    'Index of the patch-batch within the job, from 0',
  ),
  model: path(
    'model',
    z.string(),
    '`id` or `id@version` of a model; `GET /v1/models` lists the models',
  ),
  slug: path('slug', z.enum(Object.keys(PROBLEM_TYPES)), 'The last part of a problem’s `type`'),
  asset: path('asset', z.string(), 'The name of the file'),
  jobs: query(
    'jobs',
    z._default(jobsFilter, 'all'),
    'Which jobs to list. `none` is for cheap polling: only counts and progress.',
  ),
  jobsLimit: query(
    'limit',
    pageLimit,
    `Page size, 1 to ${LIMITS.pageSize.max}. Without \`limit\` and \`cursor\` the response lists all jobs.`,
  ),
  updatedSince: query(
    'updated_since',
    time,
    'Only jobs whose `updated_at` is this time or later, to the millisecond. To poll a large batch, send the `updated_at` of an earlier response minus a few seconds, because jobs that change together may appear one after another.',
  ),
  status: query(
    'status',
    batchState,
    'Only batches with this status. A page may then hold fewer than `limit` batches, even none, although more follow.',
  ),
  createdAfter: query(
    'created_after',
    time,
    'Only batches created at this time or later, to the millisecond.',
  ),
  createdBefore: query(
    'created_before',
    time,
    'Only batches created before this time, to the millisecond.',
  ),
  batchName: query(
    'name',
    z.string().check(z.maxLength(LIMITS.nameCharacters)),
    'Only batches with exactly this name. As with `status`, a page may hold fewer than `limit` batches.',
  ),
  batchesLimit: query('limit', z._default(pageLimit, LIMITS.batchesPage.default), 'Page size.'),
  limit: query('limit', z._default(pageLimit, LIMITS.pageSize.default), 'Page size.'),
  cursor: query(
    'cursor',
    z.string(),
    'The `next_cursor` of the previous page, unchanged; omit it for the first page.',
  ),
  resultsFormat: query('format', z._default(resultsFormat, 'geojson'), 'The format of the table.'),
  resultsCursor: query(
    'cursor',
    z.string(),
    'The `next_cursor` of the previous page, or the cursor of its link `next`, with the same `format`; omit it for the first page.',
  ),
  moreBatches: query(
    'batch_id',
    z.array(z.uuid()).check(z.maxLength(LIMITS.batchesPerTotal - 1)),
    `Another batch to include in the total; repeat the parameter for more, up to ${LIMITS.batchesPerTotal} batches in all.`,
  ),
  excludedJobs: query(
    'exclude',
    z.array(z.uuid()).check(z.maxLength(LIMITS.excludedJobsPerTotal)),
    `The \`job_id\` of a job to leave out, such as one whose field was sent again; repeat the parameter for more, up to ${LIMITS.excludedJobsPerTotal} jobs in all.`,
  ),
  stratumProperty: query(
    'by',
    z.string(),
    `A field of the jobs’ \`properties\`. Each total then has \`strata\`, one for the jobs with each value; there may be at most ${LIMITS.strataPerTotal} values.`,
  ),
  band: query(
    'band',
    z.string(),
    'Name of a band; by default the first band that is not a quantile, such as `mean`, or else the first band.',
  ),
  minimum: query(
    'minimum',
    styleEnd,
    'The value of the lowest colour. Only together with `maximum`, which must be greater.',
  ),
  maximum: query('maximum', styleEnd, 'The value of the highest colour.'),
  ifNoneMatch: header(
    'If-None-Match',
    z.string(),
    'The `ETag` of an earlier response; while it is current, the status is 304.',
  ),
  idempotencyKey: header(
    'Idempotency-Key',
    z.string().check(z.regex(/^("[A-Za-z0-9_-]{1,255}"|[A-Za-z0-9_-]{1,255})$/)),
    'A unique key for each new batch, such as a UUID; 1 to 255 letters, digits, `-` and `_`, bare or in double quotes. Repeating a request with the same key within 24 hours returns the first batch instead of creating another, if the body (after decompression) and the header `Webhook-Secret` are the same; other requests with the key get 409. After 24 hours, a repeated request creates another batch, even if the first is unfinished.',
  ),
  webhookSecret: header(
    'Webhook-Secret',
    z
      .string()
      .check(z.minLength(1), z.maxLength(LIMITS.webhookSecretBytes), z.regex(/^[\x20-\x7e]+$/)),
    'The `webhook_secret`, for clients whose bodies are logged: printable ASCII. If the header and the field are both sent, they must be equal.',
  ),
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof PARAMETERS;
