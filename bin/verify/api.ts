import { CommandError } from '../operator/command-error.ts';

/** Where an API key may be sent. */
export interface Api {
  readonly origin: string;
  readonly key: string;
}

/** API Gateway's integration timeout is 29 s; the authorizer's cold start comes before it. */
const TIMEOUT_MS = 35_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * The API of an Item's URL; null if it is a file.
 * @throws CommandError
 */
export function apiOf(where: string, key: string | undefined): Api | null {
  if (!/^https?:\/\//i.test(where)) return null;
  if (!URL.canParse(where)) throw new CommandError(`${where}: not a URL`);
  const { protocol, hostname, origin } = new URL(where);
  if (protocol !== 'https:' && !LOOPBACK.test(hostname)) {
    throw new CommandError(`${where}: the API key is sent over https only`);
  }
  if (key === undefined || key === '') throw new CommandError('set API_KEY to your API key');
  return { origin, key };
}

/** @throws CommandError */
export async function textAt(api: Api, url: string): Promise<string> {
  const response = await request(api, url);
  const text = await response.text();
  if (response.status === 200) return text;
  throw new CommandError(`${url}: ${reasonOf(response.status, text)}`);
}

/**
 * The signed URL that a stable link redirects to.
 * @throws CommandError
 */
export async function signedUrl(api: Api, link: string): Promise<string> {
  if (new URL(link).origin !== api.origin) {
    throw new CommandError(`${link}: the API key is sent to ${api.origin} only; use --raster`);
  }
  const response = await request(api, link);
  const location = response.headers.get('location');
  if (response.status === 302 && location !== null) return location;
  throw new CommandError(`${link}: ${reasonOf(response.status, await response.text())}`);
}

async function request({ key }: Api, url: string): Promise<Response> {
  try {
    return await fetch(url, {
      headers: { authorization: `Bearer ${key}` },
      // The key must not follow it.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new CommandError(
      `${url}: no response: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}

/** RFC 9457: the detail of the problem, or else its title. */
function reasonOf(status: number, text: string): string {
  try {
    const { detail, title } = Object(JSON.parse(text));
    return `${status}: ${detail ?? title ?? 'no reason'}`;
  } catch {
    return `${status}`;
  }
}
