import { rawArray } from '#engine/json/raw-json.ts';
import {
  type BatchSelection,
  type ListBatchesPorts,
  listBatches,
} from '../../../domain/batch/list-batches.ts';
import type { CursorScope } from '../../../domain/cursor.ts';
import type { CursorKey } from '../../contract/cursor-key.ts';
import {
  limitFormat,
  nameFormat,
  readStatusFilter,
  readTime,
  statusFormat,
  timeFormat,
} from '../../contract/parameters.ts';
import { readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { type Problem, violationsProblem } from '../../http/problem.ts';
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
    const query = readQuery(request, PARAMETERS, {
      status: statusFormat(),
      created_after: timeFormat(),
      created_before: timeFormat(),
      name: nameFormat(),
      limit: limitFormat(),
    });
    const filter = readFilter(query);
    const scope = scopeOf(tenant, filter);
    const key = await ports.cursorKey();
    const page = readBatchPage(query, key, scope);
    const { batches, next } = await listBatches(ports, tenant, { ...filter, ...page });
    const listed = batches.map((batch): ListedBatch => ({ ...batch, jobs: [] }));
    const body: BatchListView = {
      batches: rawArray(listed),
      ...nextBatchPageFields(key, scope, page.limit, next),
    };
    return revalidated(request, body);
  };
}

const PARAMETERS = [
  'status',
  'created_after',
  'created_before',
  'name',
  'limit',
  'cursor',
] as const;

type Query = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>>;
type BatchFilter = Pick<BatchSelection, 'status' | 'name' | 'created'>;

function readFilter(query: Query): BatchFilter {
  const { created_after: after, created_before: before, name = null } = query;
  const created = {
    ...(after === undefined ? {} : { from: readTime(after) }),
    ...(before === undefined ? {} : { before: readTime(before) }),
  };
  if (created.from !== undefined && created.before !== undefined) {
    if (created.from >= created.before) throw emptySpan();
  }
  return { status: readStatusFilter(query.status), name, created };
}

function emptySpan(): Problem {
  return violationsProblem('parameter-invalid', [
    { pointer: '/created_before', message: 'must be later than created_after' },
  ]);
}

/** A cursor is valid only with the filters of its list. */
function scopeOf(tenant: string, { status, name, created }: BatchFilter): CursorScope {
  const { from, before } = created;
  // No name is empty (`nameFormat`).
  return { tenant, resource: ['batches', status ?? '', from ?? '', before ?? '', name ?? ''] };
}

export const listBatchesSpecification: OperationSpecification = {
  tag: 'Batches',
  summary: 'List batches',
  description:
    'Your batches, newest first, each as `GET …/status?jobs=none` returns it. No page repeats a batch or skips one that existed when the first page was read. A batch created within the last second may not be listed yet. A page may hold fewer batches than `limit` when they are large.',
  parameters: [
    'status',
    'createdAfter',
    'createdBefore',
    'batchName',
    'batchesLimit',
    'cursor',
    'ifNoneMatch',
  ],
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
