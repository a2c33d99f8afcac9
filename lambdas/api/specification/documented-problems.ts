import * as z from 'zod/mini';
import { time } from '../../domain/wire.ts';
import { MAX_VIOLATIONS } from '../http/problem.ts';
import { PROBLEM_TYPES, type ProblemSlug, problemPath } from '../http/problem-types.ts';
import type { PublishedOperation } from '../operations.ts';
import { needsKey } from '../routes.ts';
import { type HeaderName, headersNamed, RATE_LIMIT_HEADERS } from './documented-headers.ts';
import type { Response } from './openapi.ts';
import { PROBLEM_EXPLANATIONS } from './problem-explanations.ts';
import { named } from './published.ts';
import { referenceTo } from './schemas.ts';

/**
 * Problem details (RFC 9457). `pointer` is a JSON pointer into the request's body, or a slash and a parameter's name.
 */
export const problemBody = z.strictObject({
  type: z.url().check(z.describe('The page that explains this kind of problem')),
  title: z.string().check(z.minLength(1)),
  status: z.int().check(z.minimum(400), z.maximum(599)),
  detail: z.string().check(z.minLength(1)),
  instance: z.string().check(z.regex(/^\//), z.describe('The path of the request')),
  request_id: z
    .string()
    .check(z.minLength(1), z.describe('Identifies the request in the service’s logs')),
  errors: z.optional(
    z
      .array(
        z.strictObject({
          pointer: z
            .string()
            .check(
              z.describe(
                'JSON pointer (RFC 6901) into the body; for a parameter, `/` and its name',
              ),
            ),
          message: z
            .string()
            .check(
              z.minLength(1),
              z.describe('What is wrong, what is allowed, and what was received'),
            ),
        }),
      )
      .check(z.minLength(1), z.maxLength(MAX_VIOLATIONS)),
  ),
  results_expired_at: z
    .optional(time)
    .check(z.describe('Only for `results-expired`: when the results expired')),
});

/** Errors of the gateway itself have no `instance`, because the gateway cannot escape the path for JSON. */
const publishedProblem = named('Problem', z.partial(problemBody, { instance: true }));

const ALWAYS: readonly ProblemSlug[] = ['throttled', 'internal', 'unavailable'];

const WITH_KEY: readonly ProblemSlug[] = ['unauthorized', 'forbidden'];

export function problemsOf(operation: PublishedOperation): readonly ProblemSlug[] {
  const { problems, response } = operation;
  // Pages ignore unknown query parameters, because mail and chat apps add some to links.
  const isPage = response.content === 'text/html';
  const slugs = new Set<ProblemSlug>([
    ...ALWAYS,
    ...(isPage ? [] : ['parameter-invalid' as const]),
    ...(needsKey(operation) ? WITH_KEY : []),
    ...problems,
  ]);
  return (Object.keys(PROBLEM_TYPES) as ProblemSlug[]).filter((slug) => slugs.has(slug));
}

export function problemResponses(
  slugs: readonly ProblemSlug[],
  baseUrl: string,
): Readonly<Record<string, Response>> {
  const statuses = new Set(slugs.map((slug) => PROBLEM_TYPES[slug].status));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const ofStatus = slugs.filter((slug) => PROBLEM_TYPES[slug].status === status);
      return [String(status), problemResponse(status, ofStatus, baseUrl)];
    }),
  );
}

function problemResponse(status: number, slugs: readonly ProblemSlug[], baseUrl: string): Response {
  const [first] = slugs;
  if (first === undefined) throw new Error(`no problem type has the status ${status}`);
  return {
    description: slugs.map((slug) => `\`${slug}\`: ${PROBLEM_TYPES[slug].title}`).join('; '),
    headers: headersNamed('X-Request-Id', ...headersOfStatus(status), ...quotaHeaders(slugs)),
    content: {
      'application/problem+json': {
        schema: referenceTo(publishedProblem),
        example: {
          type: `${baseUrl}${problemPath(first)}`,
          title: PROBLEM_TYPES[first].title,
          status,
          detail: PROBLEM_EXPLANATIONS[first],
          request_id: 'b5f0a3f2-2c1e-4d52-9d0a-6f7f6d0c4a11',
        },
      },
    },
  };
}

const WITH_QUOTA_HEADERS: ReadonlySet<ProblemSlug> = new Set([
  'quota-exceeded',
  'idempotency-key-reused',
]);

function quotaHeaders(slugs: readonly ProblemSlug[]): readonly HeaderName[] {
  return slugs.some((slug) => WITH_QUOTA_HEADERS.has(slug)) ? RATE_LIMIT_HEADERS : [];
}

function headersOfStatus(
  status: number,
): readonly ('WWW-Authenticate' | 'Accept-Post' | 'Accept-Encoding' | 'Retry-After')[] {
  if (status === 401) return ['WWW-Authenticate'];
  if (status === 415) return ['Accept-Post', 'Accept-Encoding'];
  return status === 429 || status === 503 ? ['Retry-After'] : [];
}
