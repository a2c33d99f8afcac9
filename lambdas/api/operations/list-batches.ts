import * as z from 'zod/mini';
import { type RawJson, stringifyArray } from '#engine/json/raw-json.ts';
import type { BatchPosition } from '../../domain/batch/batch.ts';
import type { BatchView } from '../../domain/batch/batch-schema.ts';
import {
  type BatchSelection,
  type ListBatchesPorts,
  listBatches,
} from '../../domain/batch/list-batches.ts';
import {
  type CursorKey,
  type CursorScope,
  decodePositionCursor,
  encodePositionCursor,
} from '../../domain/cursor.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ViewOf } from '../../domain/wire.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import {
  cursorProblem,
  limitFormat,
  nameFormat,
  readLimit,
  readStatusFilter,
  readTime,
  statusFormat,
  timeFormat,
} from '../http/parameters.ts';
import { type Problem, violationsProblem } from '../http/problem.ts';
import { readQuery } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { revalidated } from '../http/response.ts';
import { named } from '../specification/published.ts';
import { batchStatusResponse } from './batch-status.ts';
import batchStatus from './examples/batch-status.json' with { type: 'json' };

export const batchListResponse = named(
  'BatchList',
  z
    .strictObject({
      batches: z
        .array(batchStatusResponse)
        .check(
          z.describe(
            'Newest first. Each batch has the fields of its batch status, with `jobs` empty',
          ),
        ),
      has_more: z.boolean(),
      next_cursor: z
        .nullable(z.string())
        .check(z.describe('Cursor of the next page; null on the last page')),
    })
    .check(
      z.refine(
        (list) => list.has_more === (list.next_cursor !== null),
        'has_more contradicts next_cursor',
      ),
    ),
);

export const listBatchesDefinition = {
  operationId: 'listBatches',
  tag: 'Batches',
  summary: 'List batches',
  description:
    'Your batches, newest first, each as `GET …/status?jobs=none` returns it. No page repeats a batch or skips one that existed when the first page was read. A batch created within the last second may not be listed yet. A page of large batches may hold fewer than `limit`.',
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
        batches: [{ ...batchStatus, jobs: [], models: [] }],
        has_more: false,
        next_cursor: null,
      },
    },
  },
  problems: ['cursor-invalid'],
} as const satisfies OperationDefinition;

type ListedBatch = BatchView & { readonly jobs: readonly []; readonly models: readonly [] };

/** Batches are JSON text, because metadata is returned byte for byte. */
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
    const scope = toCursorScope(tenant, filter);
    const key = await ports.cursorKey();
    const page = readBatchPage(query, key, scope);
    const { batches, next } = await listBatches(ports, tenant, { ...filter, ...page });
    const listed = batches.map((batch): ListedBatch => ({ ...batch, jobs: [], models: [] }));
    const body: BatchListView = {
      batches: stringifyArray(listed),
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
    if (created.from >= created.before) throw emptySpanProblem();
  }
  return { status: readStatusFilter(query.status), name, created };
}

function emptySpanProblem(): Problem {
  return violationsProblem('parameter-invalid', [
    { pointer: '/created_before', message: 'must be later than created_after' },
  ]);
}

/** A cursor is valid only with the filters of its list. */
function toCursorScope(tenant: string, { status, name, created }: BatchFilter): CursorScope {
  const { from, before } = created;
  // An empty text stands for an absent filter. No filter is empty, because an empty parameter counts as absent.
  return { tenant, resource: ['batches', status ?? '', from ?? '', before ?? '', name ?? ''] };
}

interface BatchPage {
  /** The position after which the page starts; null if it starts with the newest batch. */
  readonly after: BatchPosition | null;
  readonly limit: number;
}

/** A cursor contains the page size, as in {@link readPage}. */
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
