import { type ListBatchesPorts, listBatches } from '../../../domain/batch/list-batches.ts';
import type { CursorScope } from '../../../domain/paging/cursor.ts';
import { rawArray } from '../../../json/raw-json.ts';
import type { CursorKey } from '../../contract/cursor-key.ts';
import { limitFormat, readStatusFilter, statusFormat } from '../../contract/parameters.ts';
import { readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { tenantOf } from '../../http/request.ts';
import { revalidated } from '../../http/response.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import type { BatchListView, ListedBatch } from './batch-list-response.ts';
import { batchListResponse } from './batch-list-response.ts';
import { nextBatchPageFields, readBatchPage } from './batch-page.ts';
import batchStatusExample from './batch-status.example.json' with { type: 'json' };

export function listBatchesOperation(ports: ListBatchesPorts & CursorKey): Operation {
  return async (request) => {
    const tenant = tenantOf(request);
    const query = readQuery(request, ['status', 'limit', 'cursor'], {
      status: statusFormat(),
      limit: limitFormat(),
    });
    const status = readStatusFilter(query.status);
    const scope: CursorScope = { tenant, resource: ['batches', status ?? 'any'] };
    const key = await ports.cursorKey();
    const page = readBatchPage(query, key, scope);
    const { batches, next } = await listBatches(ports, tenant, { status, ...page });
    const listed = batches.map((batch): ListedBatch => ({ ...batch, jobs: [] }));
    const body: BatchListView = {
      batches: rawArray(listed),
      ...nextBatchPageFields(key, scope, page.limit, next),
    };
    return revalidated(request, body);
  };
}

export const listBatchesSpecification: OperationSpecification = {
  tag: 'Batches',
  summary: 'List batches',
  description:
    'Your batches, newest first, each as `GET …/status?jobs=none` returns it. No page repeats a batch or skips one that existed when the first page was read. A batch created within the last second may not be listed yet. A page may hold fewer batches than `limit` when they are large.',
  parameters: ['status', 'batchesLimit', 'cursor', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'One page',
    headers: ['ETag', 'Cache-Control'],
    links: ['statusOfFirst', 'nextBatches'],
    content: {
      schema: batchListResponse,
      example: {
        batches: [{ ...batchStatusExample, jobs: [] }],
        has_more: false,
        next_cursor: null,
      },
    },
  },
  problems: ['cursor-invalid'],
};
