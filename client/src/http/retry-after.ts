/** Seconds of the header `Retry-After`, a number or a date (RFC 9110, section 10.2.3); null without it. */
export function retryAfter(headers: Headers, now = Date.now()): number | null {
  const value = headers.get('Retry-After')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
