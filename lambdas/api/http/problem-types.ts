/** Every kind of error of the API: bodies and published documents come from here. */
export const PROBLEM_TYPES = {
  'not-json': { status: 400, title: 'The body is not JSON' },
  'not-utf-8': { status: 400, title: 'The body is not UTF-8' },
  'parameter-invalid': { status: 400, title: 'A parameter is not valid' },
  'cursor-invalid': { status: 400, title: 'The cursor is not valid here' },
  'idempotency-key-invalid': { status: 400, title: 'The idempotency key is not valid' },
  unauthorized: { status: 401, title: 'No valid API key' },
  forbidden: { status: 403, title: 'Not allowed' },
  'not-found': { status: 404, title: 'No such address' },
  'batch-not-found': { status: 404, title: 'No such batch' },
  'job-not-found': { status: 404, title: 'No such job' },
  'patch-batch-not-found': { status: 404, title: 'No such patch-batch' },
  'only-on-v2': { status: 404, title: 'This operation exists on V2' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  'idempotency-key-reused': {
    status: 409,
    title: 'The idempotency key belongs to another request',
  },
  'batch-finished': { status: 409, title: 'The batch is finished' },
  'not-retryable': { status: 409, title: 'There is nothing to retry' },
  'not-redeliverable': { status: 409, title: 'There is nothing to deliver again' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'media-type': { status: 415, title: 'The body is not plain JSON or JSON in gzip' },
  validation: { status: 422, title: 'The request is not valid' },
  'quota-exceeded': { status: 429, title: 'The day’s quota is used up' },
  throttled: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'The service failed' },
  'signing-key-unavailable': { status: 503, title: 'Results can not be signed now' },
  unavailable: { status: 503, title: 'The service is not available now' },
} as const satisfies Record<string, ProblemType>;

export interface ProblemType {
  readonly status: number;
  readonly title: string;
}

export type ProblemSlug = keyof typeof PROBLEM_TYPES;

export function isProblemSlug(text: string): text is ProblemSlug {
  return Object.hasOwn(PROBLEM_TYPES, text);
}

/** The page's path; `type` of a problem is this behind the API's own base address. */
export function problemPath(slug: ProblemSlug): string {
  return `/docs/problems/${slug}`;
}
