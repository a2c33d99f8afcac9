import { dynamoPatchBatchStore } from '../adapters/dynamodb/patch-batches.ts';
import { type ReadJobPorts, readJob } from '../domain/job/read-job.ts';
import { LIMITS } from '../domain/limits.ts';
import type { CursorScope } from '../domain/paging/cursor.ts';
import { limitForm, pageMembers, readPage } from './contract/parameters.ts';
import { readId, readQuery } from './contract/query.ts';
import type { JobStatusResponse } from './contract/responses.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { batchNotFound, jobNotFound, requireV2 } from './http/not-found.ts';
import { tenantOf } from './http/request.ts';
import { pollAgain, uncached } from './http/response.ts';
import { statusPorts } from './status-ports.ts';

export function jobStatusOperation(
  ports: ReadJobPorts,
  readCursorKey: () => Promise<Uint8Array>,
): Operation {
  return async (request) => {
    requireV2(request);
    const tenant = tenantOf(request);
    const batchId = readId(request, 'batch_id');
    const jobId = readId(request, 'job_id');
    const query = readQuery(request, ['limit', 'cursor'], { limit: limitForm() });
    const scope: CursorScope = { tenant, resource: ['patches', batchId, jobId] };
    const key = await readCursorKey();
    const page = readPage(query, key, scope) ?? { first: 0, limit: LIMITS.pageSize.default };

    const reading = await readJob(ports, tenant, batchId, jobId, page);
    if (reading.kind === 'batch-unknown') throw batchNotFound();
    if (reading.kind === 'job-unknown') throw jobNotFound();
    const { job, progress, patchBatches, next, finished } = reading;
    const answer: JobStatusResponse = {
      ...job,
      batch_id: batchId,
      total_patch_batches: progress?.totalPatchBatches ?? null,
      completed_patch_batches: progress?.completedPatchBatches ?? null,
      patch_batches: patchBatches,
      ...pageMembers(key, scope, page, next),
    };
    return uncached(200, answer, pollAgain(finished));
  };
}

export const handler = handleKeyed('job-status', (table) => {
  const { ports, readCursorKey } = statusPorts(table);
  const patchBatches = dynamoPatchBatchStore(table);
  return jobStatusOperation({ ...ports, patchBatches }, readCursorKey);
});
