import type { Violation } from '../../domain/batch/requested-batch.ts';
import type { Timestamp } from '../../domain/clock.ts';
import { PROBLEM_TYPES, type ProblemSlug, problemPath } from './problem-types.ts';
import type { ApiRequest } from './request.ts';
import type { ApiResponse } from './response.ts';

export const MAX_VIOLATIONS = 100;

/** Returns the first violation at each pointer, up to one more than a response lists. */
export function firstViolations(violations: Iterable<Violation>): readonly Violation[] {
  const byPointer = new Map<string, Violation>();
  for (const violation of violations) {
    if (!byPointer.has(violation.pointer)) byPointer.set(violation.pointer, violation);
    if (byPointer.size > MAX_VIOLATIONS) break;
  }
  return [...byPointer.values()];
}

/**
 * A pointer contains the client's field names, which may be as long as the body. This limit keeps the errors below
 * Lambda's response limit of 6 MB.
 */
const MAX_SHOWN_CHARACTERS = 256;

interface ProblemParts {
  readonly errors?: readonly Violation[];
  readonly resultsExpiredAt?: Timestamp;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly slug: ProblemSlug;
  readonly parts: ProblemParts;

  constructor(slug: ProblemSlug, detail: string, parts: ProblemParts = {}) {
    super(detail);
    this.slug = slug;
    this.parts = parts;
  }
}

/** @param all in order of importance: of several violations with the same pointer, the response lists the first */
export function violationsProblem(
  slug: 'validation' | 'parameter-invalid' | 'cursor-invalid',
  all: Iterable<Violation>,
): Problem {
  const violations = firstViolations(all);
  const shown = violations.slice(0, MAX_VIOLATIONS).map(({ pointer, message }) => ({
    pointer: truncateText(pointer),
    message: truncateText(message),
  }));
  const [first] = shown;
  const summary =
    shown.length === 1 && first !== undefined
      ? `${first.pointer === '' ? 'The body' : first.pointer} ${first.message}.`
      : violations.length > MAX_VIOLATIONS
        ? `There are more than ${MAX_VIOLATIONS} errors; the first ${MAX_VIOLATIONS} are listed.`
        : `There are ${violations.length} errors.`;
  return new Problem(slug, summary, { errors: shown });
}

function truncateText(text: string): string {
  if (text.length <= MAX_SHOWN_CHARACTERS) return text;
  // The cut may split a surrogate pair.
  return `${text.slice(0, MAX_SHOWN_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** RFC 9457. */
export function problemResponse(problem: Problem, request: ApiRequest): ApiResponse {
  const { status, title } = PROBLEM_TYPES[problem.slug];
  const { errors, resultsExpiredAt, headers } = problem.parts;
  return {
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      ...headers,
    },
    body: JSON.stringify({
      type: `${request.baseUrl}${problemPath(problem.slug)}`,
      title,
      status,
      detail: problem.message,
      instance: request.path,
      request_id: request.requestId,
      ...(errors === undefined ? {} : { errors }),
      ...(resultsExpiredAt === undefined ? {} : { results_expired_at: resultsExpiredAt }),
    }),
  };
}
