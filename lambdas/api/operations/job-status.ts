import * as z from 'zod/mini';
import type { CursorKey, CursorScope } from '../../domain/cursor.ts';
import { INCONSISTENT, isConsistent } from '../../domain/job/reading/job-schema.ts';
import { type ReadJobPorts, readJob } from '../../domain/job/reading/read-job.ts';
import { LIMITS } from '../../domain/limits.ts';
import { patchBatchSchema } from '../../domain/patch-batch/read-patch-batch.ts';
import { batchId, count, type ViewOf } from '../../domain/wire.ts';
import { jobLinks } from '../../results/result-links.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { batchNotFound, jobNotFound } from '../http/not-found.ts';
import { limitFormat, nextPageFields, pageFields, readPage } from '../http/parameters.ts';
import { readId, readQuery } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { pollAgain, uncached } from '../http/response.ts';
import { named } from '../specification/published.ts';
import jobStatus from './examples/job-status.json' with { type: 'json' };
import {
  describeJobModels,
  hasLinksIfCompleted,
  jobModels,
  LINKS_INCONSISTENT,
  type ModelPorts,
  statusJobFields,
  withLinks,
} from './job-links.ts';

export const jobStatusResponse = named(
  'JobDetail',
  z
    .strictObject({
      ...statusJobFields,
      batch_id: batchId,
      models: jobModels,
      properties: z
        .nullable(z.record(z.string(), z.unknown()))
        .check(z.describe('Properties of the job, or else of its Feature; null if there are none')),
      total_patch_batches: z.nullable(count),
      completed_patch_batches: z.nullable(count),
      patch_batches: z.array(patchBatchSchema).check(z.describe('One page of patch-batches')),
      ...pageFields,
    })
    .check(
      z.refine(isConsistent, INCONSISTENT),
      z.refine(hasLinksIfCompleted, LINKS_INCONSISTENT),
      z.refine(
        (job) => job.has_more === (job.next_cursor !== null),
        'has_more contradicts next_cursor',
      ),
    ),
);

export const jobStatusDefinition = {
  operationId: 'getJobStatus',
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
} as const satisfies OperationDefinition;

export function jobStatusOperation(ports: ReadJobPorts & CursorKey & ModelPorts): Operation {
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
    const { job, record, properties, patchBatches, next, finished } = reading;
    const body: ViewOf<typeof jobStatusResponse> = {
      ...withLinks(job, jobLinks(request.baseUrl, batchId)),
      batch_id: batchId,
      models: await describeJobModels(ports, record?.model === undefined ? [] : [record.model]),
      properties,
      total_patch_batches: record?.total_patch_batches ?? null,
      completed_patch_batches: record?.completed_patch_batches ?? null,
      patch_batches: patchBatches,
      ...nextPageFields(key, scope, page, next),
    };
    return uncached(200, body, pollAgain(finished));
  };
}
