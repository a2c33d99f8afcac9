import { CORS_ALLOWED_HEADERS, CORS_EXPOSED_HEADERS } from './headers.ts';
import type { ApiRequest } from './request.ts';

/** Chrome keeps a preflight's answer no longer, whatever it is told. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * What lets a page of an allowed origin read this answer (Fetch standard, "CORS protocol"). Without
 * `Access-Control-Allow-Credentials`: keys are sent by the page, never by the browser.
 */
export function corsHeaders({
  allowedOrigins,
  header,
}: ApiRequest): Readonly<Record<string, string>> {
  if (allowedOrigins === 'any') return readableBy('*');
  if (allowedOrigins.length === 0) return {};
  const origin = header('origin');
  // Also where the origin is not allowed: a cache must not hand this answer to one that is.
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

/** What else the answer to a preflight says; none for a page that may not read the answers. */
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
