import { type RawJson, rawArray } from '#engine/json/raw-json.ts';
import type { BatchPosition } from '../../../domain/batch/batch.ts';
import type { BatchView } from '../../../domain/batch/batch-schema.ts';
import {
  type BatchSelection,
  type ListBatchesPorts,
  listBatches,
} from '../../../domain/batch/list-batches.ts';
import {
  type CursorKey,
  type CursorScope,
  decodePositionCursor,
  encodePositionCursor,
} from '../../../domain/cursor.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { ViewOf } from '../../../domain/wire.ts';
import type { batchListResponse } from '../../definitions/batch-responses.ts';
import type { Operation } from '../../handling/handle.ts';
import { type Problem, violationsProblem } from '../../problems/problem.ts';
import {
  cursorProblem,
  limitFormat,
  nameFormat,
  readLimit,
  readStatusFilter,
  readTime,
  statusFormat,
  timeFormat,
} from '../../requests/parameters.ts';
import { readQuery } from '../../requests/query.ts';
import { tenantOf } from '../../requests/request.ts';
import { revalidated } from '../../responses/response.ts';

/** A batch of the list in the response: its status, without its jobs. */
type ListedBatch = BatchView & { readonly jobs: readonly []; readonly models: readonly [] };

/** The list in the response. Its batches are JSON text, because metadata is returned byte for byte. */
type BatchListView = Omit<ViewOf<typeof batchListResponse>, 'batches'> & {
  readonly batches: RawJson;
};

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
    const listed = batches.map((batch): ListedBatch => ({ ...batch, jobs: [], models: [] }));
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

interface BatchPage {
  /** Null starts at the newest batch. */
  readonly after: BatchPosition | null;
  readonly limit: number;
}

/** The page that a query requests. A cursor carries the page size, as in {@link readPage}. */
function readBatchPage(query: Query, key: Uint8Array, scope: CursorScope): BatchPage {
  const limit = query.limit === undefined ? null : readLimit(query.limit);
  if (query.cursor === undefined) {
    return { after: null, limit: limit ?? LIMITS.batchesPage.default };
  }
  const page = decodePositionCursor(key, scope, query.cursor);
  if (page === null || (limit !== null && limit !== page.limit)) throw cursorProblem();
  return page;
}

function nextBatchPageFields(
  key: Uint8Array,
  scope: CursorScope,
  limit: number,
  next: BatchPosition | null,
): Pick<BatchListView, 'has_more' | 'next_cursor'> {
  return next === null
    ? { has_more: false, next_cursor: null }
    : { has_more: true, next_cursor: encodePositionCursor(key, scope, { after: next, limit }) };
}
