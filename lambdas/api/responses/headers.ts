/** On every response, those of the gateway included. HTML pages override the content policy. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  // Two years (RFC 6797); browsers heed it over https only.
  'Strict-Transport-Security': 'max-age=63072000',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const;

/** Request headers that a page of another origin may send. */
export const CORS_ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Webhook-Secret',
] as const;

/** Response headers that such a page may read, besides those that CORS always exposes. */
export const CORS_EXPOSED_HEADERS = [
  'Batch-Finished',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-RateLimit-Limit-Hectares',
  'X-RateLimit-Limit-Jobs',
  'X-RateLimit-Remaining-Hectares',
  'X-RateLimit-Remaining-Jobs',
  'X-RateLimit-Reset-Hectares',
  'X-RateLimit-Reset-Jobs',
  'X-Request-Id',
] as const;

/** Response headers that pages of any origin may read of a result. */
export const RESULT_EXPOSED_HEADERS = [
  'Content-Range',
  'Accept-Ranges',
  'Content-Length',
  'ETag',
] as const;
