import { createHash } from 'node:crypto';
import { stringifyFields } from '#engine/json/raw-json.ts';
import type { ApiRequest } from './request.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The batch ID for the log, if the path does not contain it. */
  readonly batchId?: string;
}

export const POLL_AFTER_SECONDS = 5;

export function pollAgain(finished: boolean): Readonly<Record<string, string>> {
  return finished ? {} : { 'Retry-After': String(POLL_AFTER_SECONDS) };
}

/** For responses that must not be cached, such as those with signed URLs. */
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
    body: stringifyFields(fields),
  };
}

/** For JSON without signed URLs. The client may cache it, but revalidates it with each request. */
export function revalidated(
  request: ApiRequest,
  fields: object,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return revalidatedText(request, 'application/json', stringifyFields(fields), headers);
}

/** Works like {@link revalidated}, with text of any media type; `headers` may replace `Cache-Control`. */
export function revalidatedText(
  request: ApiRequest,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  const cacheHeaders = { ...entityTagHeaders(body), ...headers };
  const headersOfBody = { 'Content-Type': type, ...cacheHeaders };
  return (
    notModifiedResponse(request, cacheHeaders) ?? { status: 200, headers: headersOfBody, body }
  );
}

/**
 * Works like {@link revalidatedText}, but creates the body only if the client lacks it.
 * @param sources everything that the body depends on
 */
export async function revalidatedSources(
  request: ApiRequest,
  type: string,
  sources: readonly unknown[],
  make: () => Promise<string>,
  headers: Readonly<Record<string, string>>,
): Promise<ApiResponse> {
  const cacheHeaders = { ...entityTagHeaders(JSON.stringify(sources)), ...headers };
  const headersOfBody = { 'Content-Type': type, ...cacheHeaders };
  return (
    notModifiedResponse(request, cacheHeaders) ?? {
      status: 200,
      headers: headersOfBody,
      body: await make(),
    }
  );
}

function entityTagHeaders(text: string) {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 27);
  return { 'Cache-Control': 'private, no-cache', ETag: `"${digest}"` };
}

/** Compares each tag of `If-None-Match` weakly (RFC 9110, section 13.1.2). @returns null if none matches */
function notModifiedResponse(
  request: ApiRequest,
  headers: Readonly<Record<string, string>> & { readonly ETag: string },
): ApiResponse | null {
  const tags = (request.header('if-none-match') ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  const isCurrent = tags.includes('*') || tags.includes(headers.ETag);
  return isCurrent ? { status: 304, headers, body: '' } : null;
}
