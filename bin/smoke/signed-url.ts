import type { Job } from './batches.ts';
import { require } from './check.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Compares the expiry in the URL (SigV4 query parameters) with the one in the status. */
export function validity(job: Job): string {
  const query = new URL(urlOf(job)).searchParams;
  const signedAt = isoTime(query.get('X-Amz-Date') ?? '');
  const ends = Date.parse(signedAt) + Number(query.get('X-Amz-Expires')) * 1_000;
  require(ends - Date.parse(signedAt) ===
    DAY_MS, `valid for ${query.get('X-Amz-Expires')} s, not 24 h`);
  require(ends ===
    Date.parse(
      job.signed_url_expires_at ?? '',
    ), `the URL expires at ${new Date(ends).toISOString()}, signed_url_expires_at is ${job.signed_url_expires_at}`);
  require(!query.has(
    'X-Amz-Security-Token',
  ), 'it is signed with a session token, which expires within hours');
  return `until ${job.signed_url_expires_at}, signed with a long-term key`;
}

/** Changes the signature, the object and the method, one at a time; S3 must reject each. */
export async function alteredUrls(job: Job): Promise<string> {
  const changed = (text: string) =>
    text.replace(/[0-9a-f](?=\W*$)/, (c) => (c === '0' ? '1' : '0'));
  const signature = new URL(urlOf(job));
  const given = signature.searchParams.get('X-Amz-Signature') ?? '';
  signature.searchParams.set('X-Amz-Signature', changed(given));
  const object = new URL(urlOf(job));
  object.pathname = object.pathname.replace(/[^/]+(?=\.tif$)/, changed);
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
