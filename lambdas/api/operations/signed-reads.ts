import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import { type JobsFilter, type ReadBatchPorts, readBatch } from '../../domain/batch/read-batch.ts';
import type { CursorKey, CursorScope, Page } from '../../domain/cursor.ts';
import type { JobModel } from '../../domain/job/job.ts';
import { downloadNames } from '../../domain/job/reading/download-names.ts';
import { describeModels } from '../../domain/job/reading/model-description.ts';
import { type ReadJobPorts, readJob } from '../../domain/job/reading/read-job.ts';
import type { ReadResultPorts } from '../../domain/job/reading/read-result.ts';
import type { ResultSigner } from '../../domain/job/reading/result-signer.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ViewOf } from '../../domain/wire.ts';
import type { jobStatusResponse } from '../definitions/jobs.ts';
import type { Builders } from '../handling/built-with.ts';
import type { Operation } from '../handling/handle.ts';
import { batchNotFound, jobNotFound } from '../problems/not-found.ts';
import { violationsProblem } from '../problems/problem.ts';
import {
  jobsFormat,
  limitFormat,
  nextPageFields,
  readJobsFilter,
  readPage,
} from '../requests/parameters.ts';
import { readId, readQuery } from '../requests/query.ts';
import { tenantOf } from '../requests/request.ts';
import { pollAgain, revalidated, uncached } from '../responses/response.ts';
import { jobLinks, withLinks } from './job/job-links.ts';
import { ownedResult } from './job/owned-result.ts';

/** Operations whose responses carry signed URLs. */
export const SIGNED_READS = {
  'batch-status': batchStatusOperation,
  'job-status': jobStatusOperation,
  result: resultOperation,
} as const satisfies Builders;

/** Their manifests describe the models of jobs. */
export interface ModelPorts {
  readonly catalogue: () => Promise<PackCatalogue>;
}

export function batchStatusOperation(ports: ReadBatchPorts & CursorKey & ModelPorts): Operation {
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
    const linksOf = jobLinks(request.baseUrl, batchId);
    const body = {
      ...reading.batch,
      jobs: reading.jobs.map((job) => withLinks(job, linksOf)),
      models: await modelsOf(ports, reading.models),
      ...(page === null ? {} : nextPageFields(key, scope, page, reading.next)),
    };
    const headers = pollAgain(reading.finished);
    const signed = filter === 'all' || filter === 'completed';
    return signed ? uncached(200, body, headers) : revalidated(request, body, headers);
  };
}

async function modelsOf({ catalogue }: ModelPorts, models: readonly JobModel[]) {
  return models.length === 0 ? [] : describeModels(await catalogue(), models);
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
    const { job, model, properties, progress, patchBatches, next, finished } = reading;
    const body: ViewOf<typeof jobStatusResponse> = {
      ...withLinks(job, jobLinks(request.baseUrl, batchId)),
      batch_id: batchId,
      models: await modelsOf(ports, model === null ? [] : [model]),
      properties,
      total_patch_batches: progress?.totalPatchBatches ?? null,
      completed_patch_batches: progress?.completedPatchBatches ?? null,
      patch_batches: patchBatches,
      ...nextPageFields(key, scope, page, next),
    };
    return uncached(200, body, pollAgain(finished));
  };
}

export interface ResultPorts extends ReadResultPorts {
  readonly signer: ResultSigner;
}

export function resultOperation(ports: ResultPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const { batch, entries, jobIndex, jobId } = await ownedResult(ports, request);
    const fileName = downloadNames(batch, entries)[jobIndex] ?? '';
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
    const { url } = await ports.signer.sign(batch.batchId, jobId, fileName, method);
    return { status: 302, headers: { Location: url, 'Cache-Control': 'no-store' }, body: '' };
  };
}
