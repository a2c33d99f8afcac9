import * as z from 'zod/mini';
import { batchFields } from '../../../domain/batch/batch-schema.ts';
import {
  type JobsFilter,
  type ReadBatchPorts,
  readBatch,
} from '../../../domain/batch/read-batch.ts';
import type { CursorScope, Page } from '../../../domain/cursor.ts';
import type { CursorKey } from '../../contract/cursor-key.ts';
import { pageFields } from '../../contract/page-fields.ts';
import {
  jobsFormat,
  limitFormat,
  nextPageFields,
  readJobsFilter,
  readPage,
} from '../../contract/parameters.ts';
import { readId, readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { batchNotFound } from '../../http/not-found.ts';
import { violationsProblem } from '../../http/problem.ts';
import { tenantOf } from '../../http/request.ts';
import { pollAgain, revalidated, uncached } from '../../http/response.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import { named } from '../../specification/published.ts';
import { statusJob, withLinks } from '../job/result-links.ts';
import example from './batch-status.example.json' with { type: 'json' };

export const batchStatusResponse = named(
  'BatchStatus',
  z
    .strictObject({
      ...batchFields,
      jobs: z.array(statusJob),
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

export function batchStatusOperation(ports: ReadBatchPorts & CursorKey): Operation {
  return async (request) => {
    const tenant = tenantOf(request);
    const batchId = readId(request, 'batch_id');
    const query = readQuery(request, ['jobs', 'limit', 'cursor'], {
      jobs: jobsFormat(),
      limit: limitFormat(),
    });
    const filter = readJobsFilter(query.jobs);
    const scope: CursorScope = { tenant, resource: ['jobs', batchId, filter] };
    const key = await ports.cursorKey();
    const page = readPage(query, key, scope);
    rejectPagingWithoutJobs(filter, page);

    const reading = await readBatch(ports, tenant, batchId, { filter, page });
    if (reading === null) throw batchNotFound();
    const body = {
      ...reading.batch,
      jobs: reading.jobs.map((job) => withLinks(job, request.baseUrl, batchId)),
      ...(page === null ? {} : nextPageFields(key, scope, page, reading.next)),
    };
    const headers = pollAgain(reading.finished);
    const signed = filter === 'all' || filter === 'completed';
    return signed ? uncached(200, body, headers) : revalidated(request, body, headers);
  };
}

function rejectPagingWithoutJobs(filter: JobsFilter, page: Page | null): void {
  if (filter !== 'none' || page === null) return;
  throw violationsProblem('parameter-invalid', [
    {
      pointer: '/limit',
      message: 'pages through jobs, and jobs=none lists none; omit one of them',
    },
  ]);
}

export const batchStatusSpecification: OperationSpecification = {
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
    content: { schema: batchStatusResponse, example: example },
  },
  problems: ['cursor-invalid', 'batch-not-found', 'signing-key-unavailable'],
};
