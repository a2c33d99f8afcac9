export const PROBLEM_TYPES = {
  'not-json': { status: 400, title: 'The body is not JSON' },
  'not-utf-8': { status: 400, title: 'The body is not UTF-8' },
  'parameter-invalid': { status: 400, title: 'A parameter is not valid' },
  'cursor-invalid': { status: 400, title: 'The cursor is not valid here' },
  'idempotency-key-invalid': { status: 400, title: 'The idempotency key is not valid' },
  unauthorized: { status: 401, title: 'No valid API key' },
  forbidden: { status: 403, title: 'Access denied' },
  'not-found': { status: 404, title: 'No such path' },
  'batch-not-found': { status: 404, title: 'No such batch' },
  'job-not-found': { status: 404, title: 'No such job' },
  'patch-batch-not-found': { status: 404, title: 'No such patch-batch' },
  'result-not-found': { status: 404, title: 'The job has no result' },
  'model-not-found': { status: 404, title: 'No such model' },
  'only-on-v2': { status: 404, title: 'The operation exists only on V2' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'idempotency-key-reused': {
    status: 409,
    title: 'The idempotency key was used for another request',
  },
  'batch-finished': { status: 409, title: 'The batch is finished' },
  'not-retryable': { status: 409, title: 'The batch cannot be retried' },
  'not-copyable': { status: 409, title: 'The results cannot be copied' },
  'not-redeliverable': { status: 409, title: 'The webhook cannot be delivered again' },
  'results-expired': { status: 410, title: 'The results have expired' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'media-type': { status: 415, title: 'Unsupported media type or content encoding' },
  validation: { status: 422, title: 'The request is not valid' },
  'quota-exceeded': { status: 429, title: 'The daily quota is exceeded' },
  throttled: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  'signing-key-unavailable': { status: 503, title: 'Result URLs cannot be signed now' },
  unavailable: { status: 503, title: 'The service is unavailable' },
} as const satisfies Record<string, ProblemType>;

export interface ProblemType {
  readonly status: number;
  readonly title: string;
}

export type ProblemSlug = keyof typeof PROBLEM_TYPES;

export function isProblemSlug(text: string): text is ProblemSlug {
  return Object.hasOwn(PROBLEM_TYPES, text);
}

/** The path is relative to the base URL. */
export function problemPath(slug: ProblemSlug): string {
  return `/docs/problems/${slug}`;
}
