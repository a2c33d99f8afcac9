import { createHash } from 'node:crypto';
import { stringify } from '../../json/raw-json.ts';
import type { ApiRequest } from './request.ts';

/** RFC 7946, section 12. */
export const GEOJSON = 'application/geo+json';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the log, when the path does not hold it. */
  readonly batchId?: string;
}

/** The poll interval that responses recommend. */
export const POLL_AFTER_SECONDS = 5;

/** `Retry-After` while the state may still change. */
export function pollAgain(finished: boolean): Readonly<Record<string, string>> {
  return finished ? {} : { 'Retry-After': String(POLL_AFTER_SECONDS) };
}

/** A response that must not be cached, such as one with signed URLs. */
export function uncached(
  status: number,
  fields: object,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...headers,
    },
    body: stringify(fields),
  };
}

/** A JSON response without signed URLs: the client may cache it, and revalidates it at each request. */
export function revalidated(
  request: ApiRequest,
  fields: object,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return revalidatedText(request, 'application/json', stringify(fields), headers);
}

/** As {@link revalidated}, for text of any media type. */
export function revalidatedText(
  request: ApiRequest,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const cacheHeaders = { 'Cache-Control': 'private, no-cache', ETag: etag, ...headers };
  return matches(request.header('if-none-match'), etag)
    ? { status: 304, headers: cacheHeaders, body: '' }
    : { status: 200, headers: { 'Content-Type': type, ...cacheHeaders }, body };
}

/** RFC 9110, section 13.1.2: weak comparison with each tag of the list. */
function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
