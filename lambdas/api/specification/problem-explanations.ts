import { RETRY_DAYS } from '../../domain/limits.ts';
import { MAX_VIOLATIONS } from '../http/problem.ts';
import type { ProblemSlug } from '../http/problem-types.ts';

/** The text of the page behind each `type`. */
export const PROBLEM_EXPLANATIONS: Readonly<Record<ProblemSlug, string>> = {
  'not-json':
    'The request body is empty, not JSON (RFC 8259) or, if it was sent with `Content-Encoding: gzip`, not valid gzip. The detail says which.',
  'not-utf-8':
    'The request body must be UTF-8 without a byte order mark (RFC 8259, section 8.1). If the body is compressed with gzip, send the header `Content-Encoding: gzip`.',
  'parameter-invalid':
    'A path or query parameter has an invalid value, or a query parameter is unknown or was sent too often. `errors` names each such parameter and says what is allowed.',
  'cursor-invalid':
    'A cursor opens the next page of the list that returned it, and is invalid for any other list. Send the `next_cursor` of the previous page unchanged, with the same IDs, filter and limit, or omit `cursor` for the first page.',
  'idempotency-key-invalid':
    'The header `Idempotency-Key` must be 1 to 255 letters, digits, `-` and `_`, bare or in double quotes, and be sent once.',
  unauthorized:
    'Send the key as `Authorization: Bearer <key>`. The key is missing, unknown, expired or revoked.',
  forbidden:
    'The key’s tenant currently has no access to this API, requests from your network are not allowed, or a firewall blocked the request. Contact the operator of the service.',
  'not-found': 'No operation of this API has this path. `GET /docs` lists the operations.',
  'batch-not-found':
    'Your tenant has no batch with this ID: it never existed, has expired (`results_expire_at`), or belongs to another tenant.',
  'job-not-found':
    'The batch has no job with this ID. The response that created the batch lists its job IDs in `job_ids`.',
  'patch-batch-not-found':
    'The job has no patch-batch with this index. Indices start at 0. A job has no patch-batches until it is planned.',
  'result-not-found':
    'Only a completed job has a result. The detail says whether the job is unfinished or has failed. If it is unfinished, retry after the time in `Retry-After`.',
  'model-not-found':
    'The service has no model with this `id` or `id@version`. `GET /v1/models` lists its models.',
  'only-on-v2':
    'The job status, the patch-batch status and the console exist only on V2. Request the same path there, with the same key.',
  'method-not-allowed':
    'The path exists, but does not allow this method. The header `Allow` lists the allowed methods.',
  'idempotency-key-reused':
    'Within the last 24 hours you sent a different request with this `Idempotency-Key`. The detail names the batch that it created. Use a new key for each new batch, and repeat a request byte for byte, with the same `Webhook-Secret` header.',
  'batch-finished':
    'A finished batch cannot be cancelled, because its status never changes. The detail names the status.',
  'not-retryable': `A finished batch with failed jobs can be retried once, within ${RETRY_DAYS} days of its completion, while its intermediate results are kept. The detail says which condition is not met.`,
  'not-copyable':
    'Missing results can be copied if the batch is finished and its `destination` lacks some, at most `copy_requests_per_batch` times (`GET /v1/limits`). The detail says which condition is not met.',
  'not-redeliverable':
    'A webhook can be delivered again, a limited number of times, if the batch is finished and has a `webhook_url`. The detail says which condition is not met. The batch status has the same information as the webhook.',
  'results-expired':
    'Results can be read for `retention_days` (`GET /v1/limits`) after their batch was created. `results_expired_at` is the end of this time. To get the results again, send the jobs as a new batch.',
  'body-too-large':
    'The body exceeds the limit (`body_bytes` of `GET /v1/limits`). Split the jobs into several batches, or simplify the polygons.',
  'media-type':
    'The API accepts only JSON. Send `Content-Type: application/json`, uncompressed or with `Content-Encoding: gzip`.',
  validation: `The body is JSON, but not a valid request. \`errors\` lists what is wrong, by JSON pointer. After ${MAX_VIOLATIONS} errors the rest of the body is not checked, and the detail says so. Nothing was stored.`,
  'quota-exceeded':
    'Each tenant has a quota of jobs and of charged hectares for each UTC day. A job is charged the largest of its ground area, its perimeter × `charged_width_metres` and its rings × `charged_square_metres_per_ring` (`GET /v1/limits`). The detail says what is left and, if the body was read, what the batch needs. `Retry-After` is the time to midnight UTC, when the quota resets; it is absent if the batch exceeds a whole day’s quota. `GET /v1/usage` shows today’s usage. No batch was created.',
  throttled:
    'Your tenant exceeded its request rate (`requests_per_minute` of `GET /v1/limits`, where some requests count as several) or the limit on webhook tests or redeliveries, or all tenants together sent too many requests. Wait for the time in `Retry-After`, then send the same request again.',
  internal:
    'The service failed. Retry; if the error persists, report the `request_id`. A request to create a batch may have created it, so repeat it with the same `Idempotency-Key`.',
  'signing-key-unavailable':
    'The key that signs download URLs is not available, for example while it is replaced. Retry after the time in `Retry-After`. In the meantime, the batch status is available with `jobs=none`.',
  unavailable:
    'The response took too long, or part of the service is down. Retry after the time in `Retry-After`.',
};
