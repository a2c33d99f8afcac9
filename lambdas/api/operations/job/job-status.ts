import * as z from 'zod/mini';
import { RawJson } from '#engine/json/raw-json.ts';
import type { CursorScope } from '../../../domain/cursor.ts';
import { INCONSISTENT, isConsistent } from '../../../domain/job/reading/job-schema.ts';
import { type ReadJobPorts, readJob } from '../../../domain/job/reading/read-job.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { patchBatchSchema } from '../../../domain/patch-batch/patch-batch-schema.ts';
import { batchId, count, type ViewOf } from '../../../domain/wire.ts';
import type { CursorKey } from '../../contract/cursor-key.ts';
import { pageFields } from '../../contract/page-fields.ts';
import { limitFormat, nextPageFields, readPage } from '../../contract/parameters.ts';
import { readId, readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { batchNotFound, jobNotFound } from '../../http/not-found.ts';
import { tenantOf } from '../../http/request.ts';
import { pollAgain, uncached } from '../../http/response.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import { named } from '../../specification/published.ts';
import example from './job-status.example.json' with { type: 'json' };
import { hasItsLinks, LINKS_INCONSISTENT, statusJobFields, withLinks } from './result-links.ts';

export const jobStatusResponse = named(
  'JobDetail',
  z
    .strictObject({
      ...statusJobFields,
      batch_id: batchId,
      properties: z
        .nullable(z.record(z.string(), z.unknown()))
        .check(
          z.describe(
            'Those of the job, or else of its Feature, byte for byte as sent; null if there are none',
          ),
        ),
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

/** The response, with `properties` as their original text. */
type JobStatusView = Omit<ViewOf<typeof jobStatusResponse>, 'properties'> & {
  readonly properties: RawJson | null;
};

export function jobStatusOperation(ports: ReadJobPorts & CursorKey): Operation {
  return async (request) => {
    const tenant = tenantOf(request);
    const batchId = readId(request, 'batch_id');
    const jobId = readId(request, 'job_id');
    const query = readQuery(request, ['limit', 'cursor'], { limit: limitFormat() });
    const scope: CursorScope = { tenant, resource: ['patches', batchId, jobId] };
    const key = await ports.cursorKey();
    const page = readPage(query, key, scope) ?? { first: 0, limit: LIMITS.pageSize.default };

    const reading = await readJob(ports, tenant, batchId, jobId, page);
    if (reading.kind === 'batch-unknown') throw batchNotFound();
    if (reading.kind === 'job-unknown') throw jobNotFound();
    const { job, properties, progress, patchBatches, next, finished } = reading;
    const body: JobStatusView = {
      ...withLinks(job, request.baseUrl, batchId),
      batch_id: batchId,
      properties: properties === null ? null : new RawJson(properties),
      total_patch_batches: progress?.totalPatchBatches ?? null,
      completed_patch_batches: progress?.completedPatchBatches ?? null,
      patch_batches: patchBatches,
      ...nextPageFields(key, scope, page, next),
    };
    return uncached(200, body, pollAgain(finished));
  };
}

export const jobStatusSpecification: OperationSpecification = {
  tag: 'Batches',
  summary: 'Job status',
  description: 'One job and a page of its patch-batches.',
  parameters: ['batchId', 'jobId', 'limit', 'cursor'],
  response: {
    status: 200,
    description: 'The current state of the job',
    headers: ['Retry-After', 'Cache-Control'],
    links: ['patchBatch', 'nextPatchBatches', 'status'],
    content: { schema: jobStatusResponse, example: example },
  },
  problems: ['cursor-invalid', 'batch-not-found', 'job-not-found', 'signing-key-unavailable'],
};
