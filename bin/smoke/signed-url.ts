import type { Job } from './batches.ts';
import { require } from './check.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Compares the expiry in the URL with the one in the status. */
export function validity(job: Job): string {
  const { signedAt, ends } = timesOf(job);
  require(ends - signedAt === DAY_MS, `valid for ${(ends - signedAt) / 1_000} s, not 24 h`);
  require(ends ===
    Date.parse(
      job.signed_url_expires_at ?? '',
    ), `the URL expires at ${new Date(ends).toISOString()}, signed_url_expires_at is ${job.signed_url_expires_at}`);
  return `until ${job.signed_url_expires_at}, signed with a long-term key`;
}

/** SigV4 query parameters. */
function timesOf(job: Job) {
  const query = new URL(urlOf(job)).searchParams;
  require(!query.has(
    'X-Amz-Security-Token',
  ), 'it is signed with a session token, which expires within hours');
  const signedAt = Date.parse(isoTime(query.get('X-Amz-Date') ?? ''));
  return { signedAt, ends: signedAt + Number(query.get('X-Amz-Expires')) * 1_000 };
}

/** Changes the signature, the object and the method, one at a time; each must be rejected. */
export async function alteredUrls(job: Job): Promise<string> {
  const other = (character: string) => (character === '0' ? '1' : '0');
  const signature = urlOf(job).replace(
    /(Signature=.{12})(.)/,
    (_, start: string, character: string) => start + other(character),
  );
  const object = new URL(urlOf(job));
  object.pathname = object.pathname.replace(/[0-9a-f](?=\.tif$)/, other);
  const attempts = { signature, object };
  for (const [what, url] of Object.entries(attempts)) {
    const { status, body } = await fetch(url, { headers: { range: 'bytes=0-0' } });
    await body?.cancel();
    require(status === 403, `with another ${what} it returns ${status}, not 403`);
  }
  const { status } = await fetch(urlOf(job), { method: 'DELETE' });
  require(status === 403, `DELETE returns ${status}, not 403`);
  return '403 for another signature, another object, another method';
}

export function urlOf(job: Job): string {
  if (job.signed_cog_url !== null) return job.signed_cog_url;
  throw new Error(`job ${job.job_index} has no URL`);
}

/** `20260101T120000Z` as `Date` reads it. */
function isoTime(basic: string): string {
  return basic.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6.000Z');
}
