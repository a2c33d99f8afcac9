/** Every kind of error of the API: the bodies and the pages behind their `type` come from here. */
export const PROBLEM_TYPES = {
  'not-json': {
    status: 400,
    title: 'The body is not JSON',
    explanation:
      'The request body must be one JSON text (RFC 8259). The detail says where reading stopped.',
  },
  'not-utf-8': {
    status: 400,
    title: 'The body is not UTF-8',
    explanation:
      'The request body must be UTF-8 without a byte order mark (RFC 8259, section 8.1). Save or encode it as plain UTF-8.',
  },
  'parameter-invalid': {
    status: 400,
    title: 'A parameter is not valid',
    explanation:
      'A path or query parameter has a form that is never valid, or the query has a parameter that the operation does not know. `errors` names each one and says what is allowed.',
  },
  'cursor-invalid': {
    status: 400,
    title: 'The cursor is not valid here',
    explanation:
      'A cursor opens the next page of the list that gave it, and no other. Take `next_cursor` of the previous page unchanged, with the same ids, filter and limit, or leave `cursor` out for the first page.',
  },
  'idempotency-key-invalid': {
    status: 400,
    title: 'The idempotency key is not valid',
    explanation:
      'The header `Idempotency-Key` must be 1 to 255 letters, digits, `-` and `_`, bare or in double quotes, and come once. A UUID is a good one.',
  },
  unauthorized: {
    status: 401,
    title: 'No valid API key',
    explanation:
      'Send the key as `Authorization: Bearer <key>`. The key is missing, unknown, expired or revoked.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    explanation: 'The key is known, but its tenant may not use this API now.',
  },
  'not-found': {
    status: 404,
    title: 'No such address',
    explanation: 'No operation of this API has this path.',
  },
  'batch-not-found': {
    status: 404,
    title: 'No such batch',
    explanation:
      'You have no batch with this id: it was never made, has expired (`results_expire_at`), or belongs to somebody else.',
  },
  'job-not-found': {
    status: 404,
    title: 'No such job',
    explanation: 'The batch has no job with this id. `job_ids` of the creation lists them.',
  },
  'patch-batch-not-found': {
    status: 404,
    title: 'No such patch-batch',
    explanation:
      'The job has no patch-batch with this index. Indices start at 0; a job has none until it was planned.',
  },
  'only-on-v2': {
    status: 404,
    title: 'This operation exists on V2',
    explanation:
      'Job status and patch-batch status are operations of the V2 deployment. Ask the same path there, with the same key.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The method is not allowed here',
    explanation:
      'The path exists, but not with this method. The header `Allow` lists those it has.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Only JSON is to be had',
    explanation:
      'Every operation answers `application/json`, and errors come as `application/problem+json`. Leave the header `Accept` out, or let it allow one of them.',
  },
  'idempotency-key-reused': {
    status: 409,
    title: 'The idempotency key belongs to another request',
    explanation:
      'Within 24 hours you sent another request under this `Idempotency-Key`; the detail names the batch it made. Use a new key for each new batch, and repeat a request unchanged, to the byte.',
  },
  'batch-finished': {
    status: 409,
    title: 'The batch is finished',
    explanation:
      'A final state never changes: there is nothing left to cancel. The detail says how the batch ended.',
  },
  'not-retryable': {
    status: 409,
    title: 'There is nothing to retry',
    explanation:
      'A retry runs the failed jobs of a finished batch again, as long as its intermediate results are kept. The detail says what is missing here.',
  },
  'not-redeliverable': {
    status: 409,
    title: 'There is nothing to deliver again',
    explanation:
      'A webhook is delivered again once its batch is finished and if the batch has a `webhook_url`, up to 15 times. The detail says which of these does not hold; the batch status has everything all the same.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    explanation: 'Split the jobs over several batches, or simplify the polygons.',
  },
  'media-type': {
    status: 415,
    title: 'The body is not plain JSON or JSON in gzip',
    explanation:
      'Send `Content-Type: application/json`, plain or packed with `Content-Encoding: gzip`.',
  },
  validation: {
    status: 422,
    title: 'The request is not valid',
    explanation:
      'The body is JSON, but not a request of this API. `errors` lists what is wrong, by JSON pointer, up to 20 at once. Nothing was stored.',
  },
  'quota-exceeded': {
    status: 429,
    title: 'The day’s quota is used up',
    explanation:
      'Each tenant has a number of jobs and of hectares a UTC day. The detail says what the request asks for and what is left; `Retry-After` is the time to midnight UTC, when the next day’s quota begins. `GET /v1/usage` shows what was used. Nothing was stored.',
  },
  throttled: {
    status: 429,
    title: 'Too many requests',
    explanation: 'Wait as `Retry-After` says, then send the same request again.',
  },
  internal: {
    status: 500,
    title: 'The service failed',
    explanation:
      'The fault is ours. Try again; if it stays, tell us the `request_id`. A creation that was answered so may have made a batch.',
  },
  'signing-key-unavailable': {
    status: 503,
    title: 'Results can not be signed now',
    explanation:
      'The key that signs download URLs is being replaced. Ask again after the seconds in `Retry-After`; with `jobs=none` the status answers meanwhile.',
  },
  unavailable: {
    status: 503,
    title: 'The service is not available now',
    explanation: 'The answer took too long or a part is down. Ask again after a moment.',
  },
} as const satisfies Record<string, ProblemType>;

export interface ProblemType {
  readonly status: number;
  readonly title: string;
  readonly explanation: string;
}

export type ProblemSlug = keyof typeof PROBLEM_TYPES;

export function isProblemSlug(text: string): text is ProblemSlug {
  return Object.hasOwn(PROBLEM_TYPES, text);
}

/** The page's path; `type` of a problem is this behind the API's own base address. */
export function problemPath(slug: ProblemSlug): string {
  return `/docs/problems/${slug}`;
}
