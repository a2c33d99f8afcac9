import type { BatchPosition } from '../../../domain/batch/batch.ts';
import {
  type CursorScope,
  decodePositionCursor,
  encodePositionCursor,
} from '../../../domain/cursor.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { cursorProblem, readLimit } from '../../contract/parameters.ts';
import type { BatchListView } from './batch-list-response.ts';

export interface BatchPage {
  /** Null starts at the newest batch. */
  readonly after: BatchPosition | null;
  readonly limit: number;
}

/** The page that a query requests. A cursor carries the page size, as in {@link readPage}. */
export function readBatchPage(
  query: { readonly limit?: string; readonly cursor?: string },
  key: Uint8Array,
  scope: CursorScope,
): BatchPage {
  const limit = query.limit === undefined ? null : readLimit(query.limit);
  if (query.cursor === undefined) {
    return { after: null, limit: limit ?? LIMITS.batchesPage.default };
  }
  const page = decodePositionCursor(key, scope, query.cursor);
  if (page === null || (limit !== null && limit !== page.limit)) throw cursorProblem();
  return page;
}

export function nextBatchPageFields(
  key: Uint8Array,
  scope: CursorScope,
  limit: number,
  next: BatchPosition | null,
): Pick<BatchListView, 'has_more' | 'next_cursor'> {
  return next === null
    ? { has_more: false, next_cursor: null }
    : { has_more: true, next_cursor: encodePositionCursor(key, scope, { after: next, limit }) };
}
