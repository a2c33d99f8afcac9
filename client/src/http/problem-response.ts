import { isJsonObject, type JsonObject, parseJson } from './json.ts';
import { readText } from './read-text.ts';
import { retryAfter } from './retries.ts';
import { notTheService, SoilError, type Violation } from './soil-error.ts';

/** How much of a foreign response an error quotes. */
const QUOTED_CHARACTERS = 120;
/** How much of it is searched for text that is not markup. */
const SEARCHED_CHARACTERS = 5_000;
/** Longer than any problem of the service. */
const MOST_BYTES = 1_000_000;
/** A shorter key may be a word of a message. */
const SHORTEST_SECRET = 16;

/** The error for a response that is not a success; `request` names the request, without secrets. */
export async function problemOf(
  request: string,
  response: Response,
  apiKey: string,
): Promise<SoilError> {
  const redirect = redirectOf(request, response);
  if (redirect !== null) return redirect;
  const received = await readText(request, response, MOST_BYTES).catch(() => '');
  const text = withoutKey(received, apiKey);
  const body = parseJson(text);
  const shared = {
    status: response.status,
    retryAfter: retryAfter(response.headers),
    requestId: response.headers.get('X-Request-Id'),
  };
  if (!isJsonObject(body) || typeof body['title'] !== 'string') {
    return notTheService(
      `${request}: the response is not one of the service: HTTP ${response.status}${quoted(text)}.`,
      shared,
    );
  }
  const detail = textOf(body['detail']);
  return new SoilError(detail === null ? body['title'] : `${body['title']}: ${detail}`, {
    type: slugOf(body),
    ...shared,
    errors: violationsOf(body),
    requestId: textOf(body['request_id']) ?? shared.requestId,
    page: textOf(body['type']),
  });
}

/** Error pages of proxies and servers under test may show the headers of the request. */
function withoutKey(text: string, apiKey: string): string {
  return apiKey.length < SHORTEST_SECRET ? text : text.replaceAll(apiKey, '[key]');
}

/** A redirect is not followed: the key belongs to the base URL alone. */
function redirectOf(request: string, response: Response): SoilError | null {
  if (!isRedirect(response)) return null;
  const { status, headers } = response;
  const location = headers.get('Location');
  const target = location === null ? '' : ` to ${originOf(location)}`;
  return notTheService(`${request}: the base URL redirects${target}. Use the URL of the service.`, {
    status: status === 0 ? null : status,
  });
}

/** A page sees of a redirect neither its status nor its `Location` (Fetch standard). */
export function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status <= 399 && status !== 304);
}

function originOf(location: string): string {
  return URL.canParse(location) ? new URL(location).origin : 'another path';
}

/** The last part of the problem's URL; `about:blank` and others have none (RFC 9457, section 4.2.1). */
function slugOf(body: JsonObject): string {
  return /\/([a-z0-9-]+)$/.exec(textOf(body['type']) ?? '')?.[1] ?? 'not-the-service';
}

function violationsOf(body: JsonObject): readonly Violation[] {
  const errors: unknown = body['errors'];
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((one: unknown) => {
    if (!isJsonObject(one)) return [];
    const { pointer, message } = one;
    return typeof pointer === 'string' && typeof message === 'string' ? [{ pointer, message }] : [];
  });
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The start of a foreign body as one line. */
function quoted(text: string): string {
  const line = text
    .slice(0, SEARCHED_CHARACTERS)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, QUOTED_CHARACTERS);
  return line === '' ? '' : ` "${line}"`;
}
