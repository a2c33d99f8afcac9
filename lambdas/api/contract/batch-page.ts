import { BATCH_STATUSES, type Batch } from '../../domain/batch/batch.ts';
import type { BatchPlace } from '../../domain/batch/batch-index.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { CursorScope } from '../../domain/paging/cursor.ts';
import { decodePlaceCursor, encodePlaceCursor } from '../../domain/paging/place-cursor.ts';
import type { BatchListView } from './batch-list.ts';
import { batchStatusFilter, cursorProblem, parameterProblem, readLimit } from './parameters.ts';

const RULE = `must be ${BATCH_STATUSES.slice(0, -1).join(', ')} or ${BATCH_STATUSES.at(-1)}`;

/** @returns null for batches in any state */
export function readStatusFilter(text: string | undefined): Batch['state']['status'] | null {
  if (text === undefined) return null;
  const status = batchStatusFilter.safeParse(text);
  if (status.success) return status.data;
  throw parameterProblem('status', RULE, text);
}

export interface BatchPage {
  /** Null = from the newest on. */
  readonly after: BatchPlace | null;
  readonly limit: number;
}

/** The page a query asks for; a cursor carries the page size of its walk, as elsewhere. */
export function readBatchPage(
  query: { readonly limit?: string; readonly cursor?: string },
  key: Uint8Array,
  scope: CursorScope,
): BatchPage {
  const limit = query.limit === undefined ? null : readLimit(query.limit);
  if (query.cursor === undefined) {
    return { after: null, limit: limit ?? LIMITS.batchesPage.default };
  }
  const page = decodePlaceCursor(key, scope, query.cursor);
  if (page === null || (limit !== null && limit !== page.limit)) throw cursorProblem();
  return page;
}

export function batchPageMembers(
  key: Uint8Array,
  scope: CursorScope,
  limit: number,
  next: BatchPlace | null,
): Pick<BatchListView, 'has_more' | 'next_cursor'> {
  return next === null
    ? { has_more: false, next_cursor: null }
    : { has_more: true, next_cursor: encodePlaceCursor(key, scope, { after: next, limit }) };
}
