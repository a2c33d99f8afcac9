import * as z from 'zod/mini';
import type { Violation } from '../../domain/admission/admit.ts';
import { BATCH_STATUSES } from '../../domain/batch/batch.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  type CursorScope,
  decodeCursor,
  encodeCursor,
  type Page,
} from '../../domain/paging/cursor.ts';
import { violationsProblem } from '../http/problem.ts';
import type { ApiRequest } from '../http/request.ts';
import { pointerOf } from './pointer.ts';

/** What the published specification says of each; the readers below judge by them. */
export const pageLimit = z.int().check(z.minimum(1), z.maximum(LIMITS.pageSize.max));
export const batchStatusFilter = z.enum(BATCH_STATUSES);
export const jobsFilter = z.enum(['all', 'failed', 'none']);
const MAX_PATCH_BATCH_IDX = 999_999;
export const patchBatchIdx = z.int().check(z.minimum(0), z.maximum(MAX_PATCH_BATCH_IDX));

interface Form {
  readonly accepts: (text: string) => boolean;
  readonly rule: string;
}

const anyOf = (values: readonly string[]): Form => ({
  accepts: (text) => values.includes(text),
  rule: `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`,
});

/** A cursor has none: whether it is one is seen where its page is opened. */
const FORMS: ReadonlyMap<string, Form> = new Map([
  ['jobs', anyOf(jobsFilter.options)],
  ['status', anyOf(batchStatusFilter.options)],
  [
    'limit',
    {
      accepts: (text) => pageLimit.safeParse(wholeNumber(text)).success,
      rule: `must be a whole number from 1 to ${LIMITS.pageSize.max}`,
    },
  ],
]);

/**
 * The query's parameters by name, each at most once and of its form.
 * @throws Problem that lists everything wrong at once
 */
export function readQuery<Name extends string>(
  request: ApiRequest,
  allowed: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const violations: Violation[] = [];
  const query: Partial<Record<Name, string>> = {};
  for (const [name, values] of request.query) {
    const known = allowed.find((candidate) => candidate === name);
    if (known === undefined) {
      const rule = allowed.length === 0 ? 'none is allowed here' : `allowed: ${allowed.join(', ')}`;
      violations.push({ pointer: pointerOf([name]), message: `is not a query parameter; ${rule}` });
    } else if (values.length > 1) {
      violations.push({
        pointer: `/${name}`,
        message: `came ${values.length} times; send it once`,
      });
    } else {
      const [value = ''] = values;
      const form = FORMS.get(name);
      if (form?.accepts(value) === false) violations.push(violation(name, form.rule, value));
      query[known] = value;
    }
  }
  if (violations.length > 0) throw violationsProblem('parameter-invalid', violations);
  return query;
}

/** @param text as {@link readQuery} let it pass; so for the readers below */
export function readLimit(text: string): number {
  return pageLimit.parse(wholeNumber(text));
}

/**
 * The page a query asks for, or null when it names neither `limit` nor `cursor`. A cursor carries
 * the page size of its walk, so `limit` need not come again; when it does, it must be the same.
 */
export function readPage(
  query: { readonly limit?: string; readonly cursor?: string },
  key: Uint8Array,
  scope: CursorScope,
): Page | null {
  const limit = query.limit === undefined ? null : readLimit(query.limit);
  if (query.cursor === undefined) return limit === null ? null : { first: 0, limit };
  const page = decodeCursor(key, scope, query.cursor);
  if (page === null || (limit !== null && limit !== page.limit)) {
    throw cursorProblem();
  }
  return page;
}

export function cursorProblem() {
  return violationsProblem('cursor-invalid', [
    {
      pointer: '/cursor',
      message:
        'must be the next_cursor of the page before, unchanged, for the same list and limit; leave it out for the first page',
    },
  ]);
}

/** `has_more` and `next_cursor` of an answer that holds one page. */
export function pageMembers(
  key: Uint8Array,
  scope: CursorScope,
  page: Page,
  next: number | null,
): { readonly has_more: boolean; readonly next_cursor: string | null } {
  return next === null
    ? { has_more: false, next_cursor: null }
    : { has_more: true, next_cursor: encodeCursor(key, scope, { first: next, limit: page.limit }) };
}

export function readJobsFilter(text: string | undefined): z.infer<typeof jobsFilter> {
  return text === undefined ? 'all' : jobsFilter.parse(text);
}

/** @returns null for batches in any state */
export function readStatusFilter(
  text: string | undefined,
): z.infer<typeof batchStatusFilter> | null {
  return text === undefined ? null : batchStatusFilter.parse(text);
}

/** An id of the path as the service writes it: UUIDs are read in either case (RFC 9562, section 4). */
export function readId(request: ApiRequest, name: 'batch_id' | 'job_id'): string {
  return request.pathParameter(name).toLowerCase();
}

/** Indices start at 0; whether the job has this one is not the parser's to say. */
export function readPatchBatchIdx(text: string): number {
  const idx = patchBatchIdx.safeParse(wholeNumber(text));
  if (idx.success) return idx.data;
  const rule = `must be a whole number from 0 to ${MAX_PATCH_BATCH_IDX}`;
  throw violationsProblem('parameter-invalid', [violation('patch_batch_idx', rule, text)]);
}

/** Digits only, spelled in one way: no sign, no leading zero, no exponent. */
function wholeNumber(text: string): number | null {
  return /^(0|[1-9]\d*)$/.test(text) ? Number(text) : null;
}

function violation(name: string, rule: string, came: string): Violation {
  return { pointer: `/${name}`, message: `${rule}; got ${JSON.stringify(came.slice(0, 40))}` };
}
