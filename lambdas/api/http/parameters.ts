import * as z from 'zod/mini';
import { batchState } from '../../domain/batch/batch-schema.ts';
import { type Timestamp, timestamp } from '../../domain/clock.ts';
import { type CursorScope, decodeCursor, encodeCursor, type Page } from '../../domain/cursor.ts';
import { LIMITS } from '../../domain/limits.ts';
import { RESULTS_FORMATS, type ResultsFormat } from '../../results/formats.ts';
import { isName, NAME_RULE } from './fields.ts';
import { violationsProblem } from './problem.ts';
import { type Format, violation } from './query.ts';

export const pageFields = {
  has_more: z.boolean(),
  next_cursor: z
    .nullable(z.string())
    .check(z.describe('Cursor of the next page; null on the last page')),
} as const;

/** The OpenAPI document publishes these schemas, and the readers below validate with them. */
export const pageLimit = z.int().check(z.minimum(1), z.maximum(LIMITS.pageSize.max));

export const resultsFormat = z.enum(RESULTS_FORMATS);

export const jobsFilter = z.enum(['all', 'completed', 'failed', 'none']);

/** Far larger than the values of any soil property. */
const LARGEST_END = 1e30;

export const styleEnd = z.number().check(z.minimum(-LARGEST_END), z.maximum(LARGEST_END));

/** RFC 3339, section 5.6, defines the format. */
export const time = z.iso.datetime({ offset: true });

const MAX_PATCH_BATCH_IDX = 999_999;

export const patchBatchIdx = z.int().check(z.minimum(0), z.maximum(MAX_PATCH_BATCH_IDX));

export function jobsFormat(): Format {
  return oneOfFormat(jobsFilter.options);
}

export function knownResultsFormat(): Format {
  return oneOfFormat(resultsFormat.options);
}

export function statusFormat(): Format {
  return oneOfFormat(batchState.options);
}

export function timeFormat(): Format {
  return {
    // The year must have four digits in UTC too, so that times compare as text.
    accepts: (text) => time.safeParse(text).success && /^\d{4}-/.test(readTime(text)),
    rule: 'must be a time with its zone (RFC 3339), such as 2026-03-01T00:00:00Z; in a URL, write + as %2B',
  };
}

export function nameFormat(): Format {
  return { accepts: isName, rule: NAME_RULE };
}

export function limitFormat(): Format {
  return {
    accepts: (text) => pageLimit.safeParse(wholeNumber(text)).success,
    rule: `must be a whole number from 1 to ${LIMITS.pageSize.max}`,
  };
}

export function numberFormat(): Format {
  return {
    // `Number` also accepts blanks, hexadecimal numbers and `Infinity`.
    accepts: (text) =>
      /^-?[0-9.]+(e[+-]?[0-9]+)?$/i.test(text) && styleEnd.safeParse(Number(text)).success,
    rule: `must be a number from ${-LARGEST_END} to ${LARGEST_END}, such as 12.5`,
  };
}

function oneOfFormat(values: readonly string[]): Format {
  return {
    accepts: (text) => values.includes(text),
    rule: `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`,
  };
}

/**
 * @param text valid, because {@link readQuery} has checked it; this also holds for the other readers of query
 * parameters below
 */
export function readLimit(text: string): number {
  return pageLimit.parse(wholeNumber(text));
}

export function readTime(text: string): Timestamp {
  return timestamp(new Date(time.parse(text)));
}

/**
 * Reads the page that a query requests; null if it has neither `limit` nor `cursor`. A cursor contains the page size,
 * so `limit` may be omitted with it; if sent, it must be the same.
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

export function cursorProblem(
  allowed = 'the next_cursor of the previous page, unchanged, for the same list and limit',
) {
  return violationsProblem('cursor-invalid', [
    { pointer: '/cursor', message: `must be ${allowed}; omit it for the first page` },
  ]);
}

export function nextPageFields(
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

export function readResultsFormat(text: string | undefined): ResultsFormat {
  return text === undefined ? 'geojson' : resultsFormat.parse(text);
}

/** @returns null for batches in any state */
export function readStatusFilter(text: string | undefined): z.infer<typeof batchState> | null {
  return text === undefined ? null : batchState.parse(text);
}

/** @throws Problem 400 unless it is a whole number in range; the operation checks that the patch-batch exists */
export function readPatchBatchIdx(text: string): number {
  const idx = patchBatchIdx.safeParse(wholeNumber(text));
  if (idx.success) return idx.data;
  const rule = `must be a whole number from 0 to ${MAX_PATCH_BATCH_IDX}`;
  throw violationsProblem('parameter-invalid', [violation('patch_batch_idx', rule, text)]);
}

/** Accepts only digits: no sign, leading zero or exponent. */
function wholeNumber(text: string): number | null {
  return /^(0|[1-9]\d*)$/.test(text) ? Number(text) : null;
}
