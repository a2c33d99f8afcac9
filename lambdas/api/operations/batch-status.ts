import * as z from 'zod/mini';
import { batchFields } from '../../domain/batch/batch-schema.ts';
import {
  type JobsSelection,
  type ReadBatchPorts,
  readBatch,
} from '../../domain/batch/read-batch.ts';
import type { CursorKey, CursorScope } from '../../domain/cursor.ts';
import { copyStatus } from '../../domain/destination/copy-status.ts';
import { jobLinks } from '../../results/result-links.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { batchNotFound } from '../http/not-found.ts';
import {
  jobsFormat,
  limitFormat,
  nextPageFields,
  pageFields,
  readJobsFilter,
  readPage,
  readTime,
  timeFormat,
} from '../http/parameters.ts';
import { violationsProblem } from '../http/problem.ts';
import { readId, readQuery } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { pollAgain, revalidated, uncached } from '../http/response.ts';
import { named } from '../specification/published.ts';
import batchStatus from './examples/batch-status.json' with { type: 'json' };
import {
  describeJobModels,
  jobModels,
  type ModelPorts,
  statusJob,
  withLinks,
} from './job-links.ts';

export const batchStatusResponse = named(
  'BatchStatus',
  z
    .strictObject({
      ...batchFields,
      destination: z
        .optional(copyStatus)
        .check(z.describe('Copy of the batch in your bucket; absent without a destination')),
      jobs: z.array(statusJob),
      models: jobModels,
      has_more: z.optional(pageFields.has_more),
      next_cursor: z.optional(pageFields.next_cursor),
    })
    .check(
      z.refine(
        (batch) =>
          batch.total_tasks === batch.total_jobs &&
          batch.completed_tasks === batch.completed_jobs &&
          batch.failed_tasks === batch.failed_jobs &&
          batch.pending_tasks === batch.pending_jobs &&
          batch.processing_tasks === batch.processing_jobs,
        'a count differs from its alias',
      ),
      z.refine(
        (batch) =>
          batch.completed_tasks + batch.failed_tasks + batch.pending_tasks === batch.total_tasks &&
          batch.processing_tasks <= batch.pending_tasks,
        'the counts do not add up',
      ),
    ),
);

export const batchStatusDefinition = {
  operationId: 'getBatchStatus',
  tag: 'Batches',
  summary: 'Batch status',
  description:
    'Counts, progress and the jobs, with a signed URL for each finished raster. Each request signs new URLs, valid for 24 hours. `result_url` and `item_url` work as long as the result exists.',
  parameters: ['batchId', 'jobs', 'updatedSince', 'jobsLimit', 'cursor', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The current state of the batch',
    headers: ['Retry-After', 'ETag', 'Cache-Control'],
    links: ['jobOfFirst', 'cancel', 'retry', 'deliveries', 'redelivery'],
    content: { schema: batchStatusResponse, example: batchStatus },
  },
  problems: ['cursor-invalid', 'batch-not-found', 'signing-key-unavailable'],
} as const satisfies OperationDefinition;

/** An alias, because a client that knows the ID tries this path first. */
export const batchDefinition = {
  ...batchStatusDefinition,
  operationId: 'getBatch',
  summary: 'Batch',
  description: 'The same as the batch status.',
} as const satisfies OperationDefinition;

export function batchStatusOperation(ports: ReadBatchPorts & CursorKey & ModelPorts): Operation {
  return async (request) => {
    const tenant = tenantOf(request);
    const batchId = readId(request, 'batch_id');
    const query = readQuery(request, ['jobs', 'updated_since', 'limit', 'cursor'], {
      jobs: jobsFormat(),
      updated_since: timeFormat(),
      limit: limitFormat(),
    });
    const filter = readJobsFilter(query.jobs);
    const updatedSince = query.updated_since === undefined ? null : readTime(query.updated_since);
    const scope: CursorScope = {
      tenant,
      resource: ['jobs', batchId, filter, ...(updatedSince === null ? [] : [updatedSince])],
    };
    const key = await ports.cursorKey();
    const page = readPage(query, key, scope);
    const selection = { filter, updatedSince, page };
    rejectSelectionOfNone(selection);

    const reading = await readBatch(ports, tenant, batchId, selection);
    if (reading === null) throw batchNotFound();
    const linksOf = jobLinks(request.baseUrl, batchId);
    const body = {
      ...reading.batch,
      ...reading.copy,
      jobs: reading.jobs.map((job) => withLinks(job, linksOf)),
      models: await describeJobModels(ports, reading.models),
      ...(page === null ? {} : nextPageFields(key, scope, page, reading.next)),
    };
    const headers = pollAgain(reading.finished);
    const mayHaveSignedUrls = filter === 'all' || filter === 'completed';
    return mayHaveSignedUrls ? uncached(200, body, headers) : revalidated(request, body, headers);
  };
}

function rejectSelectionOfNone({ filter, updatedSince, page }: JobsSelection): void {
  if (filter !== 'none') return;
  const pointers = [
    ...(updatedSince === null ? [] : ['/updated_since']),
    ...(page === null ? [] : ['/limit']),
  ];
  if (pointers.length === 0) return;
  const message = 'selects jobs, but jobs=none lists none; omit one of the two';
  throw violationsProblem(
    'parameter-invalid',
    pointers.map((pointer) => ({ pointer, message })),
  );
}
