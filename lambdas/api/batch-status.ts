import { type JobsFilter, type ReadBatchPorts, readBatch } from '../domain/batch/read-batch.ts';
import type { CursorScope, Page } from '../domain/paging/cursor.ts';
import {
  jobsForm,
  limitForm,
  pageMembers,
  readJobsFilter,
  readPage,
} from './contract/parameters.ts';
import { readId, readQuery } from './contract/query.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { batchNotFound } from './http/not-found.ts';
import { violationsProblem } from './http/problem.ts';
import { tenantOf } from './http/request.ts';
import { pollAgain, revalidated, uncached } from './http/response.ts';
import { statusPorts } from './status-ports.ts';

export function batchStatusOperation(
  ports: ReadBatchPorts,
  readCursorKey: () => Promise<Uint8Array>,
): Operation {
  return async (request) => {
    const tenant = tenantOf(request);
    const batchId = readId(request, 'batch_id');
    const query = readQuery(request, ['jobs', 'limit', 'cursor'], {
      jobs: jobsForm(),
      limit: limitForm(),
    });
    const filter = readJobsFilter(query.jobs);
    const scope: CursorScope = { tenant, resource: ['jobs', batchId, filter] };
    const key = await readCursorKey();
    const page = readPage(query, key, scope);
    refusePagesOfNothing(filter, page);

    const reading = await readBatch(ports, tenant, batchId, { filter, page });
    if (reading === null) throw batchNotFound();
    const answer = {
      ...reading.batch,
      jobs: reading.jobs,
      ...(page === null ? {} : pageMembers(key, scope, page, reading.next)),
    };
    const headers = pollAgain(reading.finished);
    return filter === 'all'
      ? uncached(200, answer, headers)
      : revalidated(request, answer, headers);
  };
}

function refusePagesOfNothing(filter: JobsFilter, page: Page | null): void {
  if (filter !== 'none' || page === null) return;
  throw violationsProblem('parameter-invalid', [
    {
      pointer: '/limit',
      message: 'pages through jobs, and jobs=none asks for none; leave one out',
    },
  ]);
}

export const handler = handleKeyed('batch-status', (table) => {
  const { ports, readCursorKey } = statusPorts(table);
  return batchStatusOperation(ports, readCursorKey);
});
