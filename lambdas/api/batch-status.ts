import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CLIENT_OPTIONS } from '../adapters/client-options.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { environment } from '../adapters/environment.ts';
import { s3JobEntries } from '../adapters/s3/job-entries.ts';
import { s3ResultSigner } from '../adapters/s3/result-signer.ts';
import { cursorKey } from '../adapters/secrets/cursor-key.ts';
import { type JobsFilter, type ReadBatchPorts, readBatch } from '../domain/batch/read-batch.ts';
import type { CursorScope, Page } from '../domain/paging/cursor.ts';
import { pageMembers, readId, readJobsFilter, readPage, readQuery } from './contract/parameters.ts';
import { handle, type Operation } from './http/handle.ts';
import { batchNotFound } from './http/not-found.ts';
import { violationsProblem } from './http/problem.ts';
import { tenantOf } from './http/request.ts';
import { pollAgain, revalidated, uncached } from './http/response.ts';

export function batchStatusOperation(
  ports: ReadBatchPorts,
  readCursorKey: () => Promise<Uint8Array>,
): Operation {
  return async (request) => {
    const tenant = tenantOf(request);
    const batchId = readId(request, 'batch_id');
    const query = readQuery(request, ['jobs', 'limit', 'cursor']);
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

export const handler = handle('batch-status', () => {
  const env = environment(
    'TABLE_NAME',
    'WORK_BUCKET',
    'RESULTS_BUCKET',
    'SIGNING_SECRET_ARN',
    'CURSOR_SECRET_ARN',
  );
  const table = openTable(env.TABLE_NAME);
  const secrets = new SecretsManagerClient({ ...CLIENT_OPTIONS });
  return batchStatusOperation(
    {
      batches: dynamoBatchStore(table),
      jobs: dynamoJobStore(table),
      jobRequests: s3JobEntries(env.WORK_BUCKET),
      signer: s3ResultSigner({
        secrets,
        secretArn: env.SIGNING_SECRET_ARN,
        bucket: env.RESULTS_BUCKET,
      }),
      clock: () => new Date(),
    },
    cursorKey(secrets, env.CURSOR_SECRET_ARN),
  );
});
