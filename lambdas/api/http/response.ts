import { createHash } from 'node:crypto';
import { stringify } from '../../json/raw-json.ts';
import type { ApiRequest } from './request.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the log, where the path does not name it. */
  readonly batchId?: string;
}

/** Polls more often than this see little that is new. */
export const POLL_AFTER_SECONDS = 5;

/** `Retry-After` while there is something to come. */
export function pollAgain(finished: boolean): Readonly<Record<string, string>> {
  return finished ? {} : { 'Retry-After': String(POLL_AFTER_SECONDS) };
}

/** An answer that holds a URL or may not be kept for another reason. */
export function uncached(
  status: number,
  members: object,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...headers,
    },
    body: stringify(members),
  };
}

/** An answer without URLs: kept by the client, who asks each time whether it still holds. */
export function revalidated(
  request: ApiRequest,
  members: object,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return revalidatedText(request, 'application/json', stringify(members), headers);
}

/** The same for a text of any type. */
export function revalidatedText(
  request: ApiRequest,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const kept = { 'Cache-Control': 'private, no-cache', ETag: etag, ...headers };
  return matches(request.header('if-none-match'), etag)
    ? { status: 304, headers: kept, body: '' }
    : { status: 200, headers: { 'Content-Type': type, ...kept }, body };
}

/** RFC 9110 section 13.1.2: any of the list, compared weakly. */
function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
