import { MAX_VIOLATIONS } from '../contract/first-violations.ts';
import type { ProblemSlug } from './problem-types.ts';

/** What each kind of problem means and what to do: the text of the page behind its `type`. Apart, because only documents need it. */
export const PROBLEM_EXPLANATIONS: Readonly<Record<ProblemSlug, string>> = {
  'not-json':
    'The request body must be one JSON text (RFC 8259). The detail says where reading stopped.',
  'not-utf-8':
    'The request body must be UTF-8 without a byte order mark (RFC 8259, section 8.1). Save or encode it as plain UTF-8.',
  'parameter-invalid':
    'A path or query parameter has a form that is never valid, or the query has a parameter that the operation does not know. `errors` names each one and says what is allowed.',
  'cursor-invalid':
    'A cursor opens the next page of the list that gave it, and no other. Take `next_cursor` of the previous page unchanged, with the same ids, filter and limit, or leave `cursor` out for the first page.',
  'idempotency-key-invalid':
    'The header `Idempotency-Key` must be 1 to 255 letters, digits, `-` and `_`, bare or in double quotes, and come once. A UUID is a good one.',
  unauthorized:
    'Send the key as `Authorization: Bearer <key>`. The key is missing, unknown, expired or revoked.',
  forbidden: 'The key is known, but its tenant may not use this API now.',
  'not-found': 'No operation of this API has this path; `GET /docs` lists those there are.',
  'batch-not-found':
    'You have no batch with this id: it was never made, has expired (`results_expire_at`), or belongs to somebody else.',
  'job-not-found': 'The batch has no job with this id. `job_ids` of the creation lists them.',
  'patch-batch-not-found':
    'The job has no patch-batch with this index. Indices start at 0; a job has none until it was planned.',
  'only-on-v2':
    'Job status and patch-batch status are operations of the V2 deployment. Ask the same path there, with the same key.',
  'method-not-allowed':
    'The path exists, but not with this method. The header `Allow` lists those it has.',
  'idempotency-key-reused':
    'Within 24 hours you sent another request under this `Idempotency-Key`; the detail names the batch it made. Use a new key for each new batch, and repeat a request unchanged, to the byte.',
  'batch-finished':
    'A final state never changes: there is nothing left to cancel. The detail says how the batch ended.',
  'not-retryable':
    'A retry runs the failed jobs of a finished batch again, for some days after it was made, while its intermediate results are kept. The detail says what is missing here.',
  'not-redeliverable':
    'A webhook is delivered again once its batch is finished and if the batch has a `webhook_url`, up to 15 times. The detail says which of these does not hold; the batch status has everything all the same.',
  'body-too-large': 'Split the jobs over several batches, or simplify the polygons.',
  'media-type':
    'Send `Content-Type: application/json`, plain or packed with `Content-Encoding: gzip`.',
  validation: `The body is JSON, but not a request of this API. \`errors\` lists what is wrong, by JSON pointer. After ${MAX_VIOLATIONS} errors the rest of the body is not checked, and the detail says so. Nothing was stored.`,
  'quota-exceeded':
    'Each tenant has a number of jobs and of charged hectares a UTC day; a job is charged its ground area, or its perimeter × `charged_width_metres` of `GET /v1/limits` if that is more. When nothing is left of either, a creation is refused before its body is read; when too few jobs are left, before any polygon is judged. The detail says what is left and, if the body was read, what it asks for; `Retry-After` is the time to midnight UTC, when the next day’s quota begins. `GET /v1/usage` shows what was used. Nothing was stored.',
  throttled:
    'Your tenant sends more requests than `GET /v1/limits` allows, or all tenants together send too many. A large creation or estimate counts as several requests. Wait as `Retry-After` says, then send the same request again.',
  internal:
    'The fault is ours. Try again; if it stays, tell us the `request_id`. A creation that was answered so may have made a batch.',
  'signing-key-unavailable':
    'The key that signs download URLs is being replaced. Ask again after the seconds in `Retry-After`; with `jobs=none` the status answers meanwhile.',
  unavailable: 'The answer took too long or a part is down. Ask again after a moment.',
};
