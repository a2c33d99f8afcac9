import { isJsonObject, type JsonObject, parseJson } from './json.ts';
import { readText } from './read-text.ts';
import { parseRetryAfter } from './retries.ts';
import { notTheServiceError, SoilError, type Violation } from './soil-error.ts';

const QUOTED_CHARACTERS = 120;
/** How many characters of a foreign response are searched for text outside markup. */
const SEARCHED_CHARACTERS = 5_000;
/** More than any problem response of the service has. */
const MOST_BYTES = 1_000_000;
/** A shorter key could be an ordinary word in a message. */
const SHORTEST_SECRET = 16;

/** @param request the request's name, without secrets */
export async function readProblem(
  request: string,
  response: Response,
  apiKey: string,
): Promise<SoilError> {
  const redirect = findRedirect(request, response);
  if (redirect !== null) return redirect;
  const received = await readText(request, response, MOST_BYTES).catch(() => '');
  const text = redactKey(received, apiKey);
  const body = parseJson(text);
  const shared = {
    status: response.status,
    retryAfter: parseRetryAfter(response.headers),
    requestId: response.headers.get('X-Request-Id'),
  };
  if (!isJsonObject(body) || typeof body['title'] !== 'string') {
    return notTheServiceError(
      `${request}: the response did not come from the service: HTTP ${response.status}${quoteStart(text)}.`,
      shared,
    );
  }
  const detail = toTextOrNull(body['detail']);
  return new SoilError(detail === null ? body['title'] : `${body['title']}: ${detail}`, {
    type: parseSlug(body),
    ...shared,
    errors: parseViolations(body),
    requestId: toTextOrNull(body['request_id']) ?? shared.requestId,
    page: toTextOrNull(body['type']),
  });
}

/** Error pages of proxies and of servers under development may show request headers. */
function redactKey(text: string, apiKey: string): string {
  return apiKey.length < SHORTEST_SECRET ? text : text.replaceAll(apiKey, '[key]');
}

/** Redirects are not followed: the key may only go to the base URL. */
function findRedirect(request: string, response: Response): SoilError | null {
  if (!isRedirect(response)) return null;
  const { status, headers } = response;
  const location = headers.get('Location');
  const target = location === null ? '' : ` to ${formatOrigin(location)}`;
  return notTheServiceError(
    `${request}: the base URL redirects${target}. Use the URL of the service.`,
    {
      status: status === 0 ? null : status,
    },
  );
}

/** In a browser, neither the status nor the `Location` of a redirect is visible (Fetch standard). */
export function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status <= 399 && status !== 304);
}

function formatOrigin(location: string): string {
  return URL.canParse(location) ? new URL(location).origin : 'another path';
}

/**
 * The last part of the problem's URL, or `not-the-service` for other URLs, such as `about:blank` (RFC 9457,
 * section 4.2.1).
 */
function parseSlug(body: JsonObject): string {
  return /\/([a-z0-9-]+)$/.exec(toTextOrNull(body['type']) ?? '')?.[1] ?? 'not-the-service';
}

function parseViolations(body: JsonObject): readonly Violation[] {
  const errors: unknown = body['errors'];
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((one: unknown) => {
    if (!isJsonObject(one)) return [];
    const { pointer, message } = one;
    return typeof pointer === 'string' && typeof message === 'string' ? [{ pointer, message }] : [];
  });
}

function toTextOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function quoteStart(text: string): string {
  const line = text
    .slice(0, SEARCHED_CHARACTERS)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, QUOTED_CHARACTERS);
  return line === '' ? '' : ` "${line}"`;
}
