import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CLIENT_OPTIONS } from '../adapters/client-options.ts';
import { dynamoBatchIndex } from '../adapters/dynamodb/batch-index.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { environment } from '../adapters/environment.ts';
import { cursorKey } from '../adapters/secrets/cursor-key.ts';
import { type ListBatchesPorts, listBatches } from '../domain/batch/list-batches.ts';
import { rawArray } from '../domain/json/raw-json.ts';
import type { CursorScope } from '../domain/paging/cursor.ts';
import type { BatchListView, ListedBatch } from './contract/batch-list.ts';
import { batchPageMembers, readBatchPage } from './contract/batch-page.ts';
import { limitForm, readStatusFilter, statusForm } from './contract/parameters.ts';
import { readQuery } from './contract/query.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { tenantOf } from './http/request.ts';
import { revalidated } from './http/response.ts';

export function listBatchesOperation(
  ports: ListBatchesPorts,
  readCursorKey: () => Promise<Uint8Array>,
): Operation {
  return async (request) => {
    const tenant = tenantOf(request);
    const query = readQuery(request, ['status', 'limit', 'cursor'], {
      status: statusForm(),
      limit: limitForm(),
    });
    const status = readStatusFilter(query.status);
    const scope: CursorScope = { tenant, resource: ['batches', status ?? 'any'] };
    const key = await readCursorKey();
    const page = readBatchPage(query, key, scope);
    const { batches, next } = await listBatches(ports, tenant, { status, ...page });
    const listed = batches.map((batch): ListedBatch => ({ ...batch, jobs: [] }));
    const answer: BatchListView = {
      batches: rawArray(listed),
      ...batchPageMembers(key, scope, page.limit, next),
    };
    return revalidated(request, answer);
  };
}

export const handler = handleKeyed('list-batches', (table) => {
  const env = environment('CURSOR_SECRET_ARN');
  const secrets = new SecretsManagerClient({ ...CLIENT_OPTIONS });
  return listBatchesOperation(
    {
      batchIndex: dynamoBatchIndex(table),
      batches: dynamoBatchStore(table),
      jobs: dynamoJobStore(table),
      clock: table.clock,
    },
    cursorKey(secrets, env.CURSOR_SECRET_ARN),
  );
});
