import type { ApiRequest } from '../requests/request.ts';
import { CORS_ALLOWED_HEADERS, CORS_EXPOSED_HEADERS } from './headers.ts';

/** The longest that Chrome caches a preflight response. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * The headers that let a page of an allowed origin read this response (Fetch standard, "CORS protocol").
 * There is no `Access-Control-Allow-Credentials`, because the page itself sends the key.
 */
export function corsHeaders({
  allowedOrigins,
  header,
}: ApiRequest): Readonly<Record<string, string>> {
  if (allowedOrigins === 'any') return readableBy('*');
  if (allowedOrigins.length === 0) return {};
  const origin = header('origin');
  // For an origin that is not allowed too: a cache must not serve this response to one that is.
  const varies = { Vary: 'Origin' };
  return origin !== null && allowedOrigins.includes(origin)
    ? { ...readableBy(origin), ...varies }
    : varies;
}

function readableBy(origin: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': CORS_EXPOSED_HEADERS.join(', '),
  };
}

/** Further headers of a preflight response; none when the origin is not allowed. */
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
