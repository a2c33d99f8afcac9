import { createHash } from 'node:crypto';
import { stringifyFields } from '#engine/json/raw-json.ts';
import type { ApiRequest } from './request.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The id for the log, when the path does not hold it. */
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
    body: stringifyFields(fields),
  };
}

/** A JSON response without signed URLs: the client may cache it, and revalidates it at each request. */
export function revalidated(
  request: ApiRequest,
  fields: object,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return revalidatedText(request, 'application/json', stringifyFields(fields), headers);
}

/** Responds like {@link revalidated}, with text of any media type. */
export function revalidatedText(
  request: ApiRequest,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  const cacheHeaders = { ...validatedBy(body), ...headers };
  const headersOfBody = { 'Content-Type': type, ...cacheHeaders };
  return notModified(request, cacheHeaders) ?? { status: 200, headers: headersOfBody, body };
}

/**
 * Responds like {@link revalidatedText}, with a body that is made only if the client lacks it.
 * @param sources all that the body depends on
 */
export async function revalidatedSources(
  request: ApiRequest,
  type: string,
  sources: readonly unknown[],
  make: () => Promise<string>,
  headers: Readonly<Record<string, string>>,
): Promise<ApiResponse> {
  const cacheHeaders = { ...validatedBy(JSON.stringify(sources)), ...headers };
  const headersOfBody = { 'Content-Type': type, ...cacheHeaders };
  return (
    notModified(request, cacheHeaders) ?? {
      status: 200,
      headers: headersOfBody,
      body: await make(),
    }
  );
}

function validatedBy(text: string) {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 27);
  return { 'Cache-Control': 'private, no-cache', ETag: `"${digest}"` };
}

/** RFC 9110, section 13.1.2: weak comparison with each tag of the list. */
function notModified(
  request: ApiRequest,
  headers: Readonly<Record<string, string>> & { readonly ETag: string },
): ApiResponse | null {
  const tags = (request.header('if-none-match') ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  const isCurrent = tags.includes('*') || tags.includes(headers.ETag);
  return isCurrent ? { status: 304, headers, body: '' } : null;
}
