import { require } from './check.ts';

const DAY_SECONDS = 24 * 60 * 60;

/** Compares the expiry in the URL's SigV4 query parameters with the one in the status. */
export function checkValidity({
  url,
  expiresAt,
}: {
  readonly url: string;
  readonly expiresAt: string | null;
}): string {
  const query = new URL(url).searchParams;
  const hasSession = query.has('X-Amz-Security-Token');
  require(!hasSession, 'the URL is signed with a session token, which expires within hours');
  const seconds = Number(query.get('X-Amz-Expires'));
  require(seconds === DAY_SECONDS, `the URL is valid for ${seconds} s instead of 24 h`);
  const ends = Date.parse(toIsoTime(query.get('X-Amz-Date') ?? '')) + seconds * 1_000;
  const isStated = ends === Date.parse(expiresAt ?? '');
  require(isStated, `signed_url_expires_at (${expiresAt}) differs from the expiry in the URL`);
  return `until ${expiresAt}, signed with a long-term key`;
}

/** Converts `20260101T120000Z` to the format that `Date` reads. */
function toIsoTime(basic: string): string {
  return basic.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6.000Z');
}

/** Changes the signature, the object and the method, one at a time; S3 must reject each request. */
export async function checkAlteredUrls(url: string): Promise<string> {
  const other = (character: string) => (character === '0' ? '1' : '0');
  const signature = url.replace(
    /(Signature=.{12})(.)/,
    (_, start: string, character: string) => start + other(character),
  );
  const object = new URL(url);
  object.pathname = object.pathname.replace(/[0-9a-f](?=\.tif$)/, other);
  const attempts = { signature, object };
  for (const [what, altered] of Object.entries(attempts)) {
    const { status, body } = await fetch(altered, { headers: { range: 'bytes=0-0' } });
    await body?.cancel();
    require(status === 403, `with another ${what} the URL returned ${status} instead of 403`);
  }
  const { status } = await fetch(url, { method: 'DELETE' });
  require(status === 403, `DELETE returned ${status} instead of 403`);
  return '403 for another signature, another object, another method';
}
