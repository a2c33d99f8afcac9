import type { ApiRequest } from './request.ts';

/** All responses, even the gateway's own, have these headers, but some have another content policy. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  // Two years (RFC 6797). Browsers obey it only over https.
  'Strict-Transport-Security': 'max-age=63072000',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const;

const CORS_ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Webhook-Secret',
] as const;

/** Besides those that CORS always exposes. */
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

export const RESULT_EXPOSED_HEADERS = [
  'Content-Range',
  'Accept-Ranges',
  'Content-Length',
  'ETag',
] as const;

/** The longest time for which Chrome caches a preflight response. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Returns the headers that let a page of an allowed origin read this response (Fetch standard, "CORS protocol").
 * `Access-Control-Allow-Credentials` is absent, because the page itself sends the key.
 */
export function corsHeaders({
  allowedOrigins,
  header,
}: ApiRequest): Readonly<Record<string, string>> {
  if (allowedOrigins === 'any') return allowOriginHeaders('*');
  if (allowedOrigins.length === 0) return {};
  const origin = header('origin');
  // A response to a forbidden origin has this header too, so that a cache does not serve that response to an allowed
  // origin.
  const varies = { Vary: 'Origin' };
  return origin !== null && allowedOrigins.includes(origin)
    ? { ...allowOriginHeaders(origin), ...varies }
    : varies;
}

function allowOriginHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': CORS_EXPOSED_HEADERS.join(', '),
  };
}

/** Returns no headers if the origin is not allowed. */
export function preflightHeaders(
  request: ApiRequest,
  methods: readonly string[],
): Readonly<Record<string, string>> {
  if (corsHeaders(request)['Access-Control-Allow-Origin'] === undefined) return {};
  return {
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': CORS_ALLOWED_HEADERS.join(', '),
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  };
}
