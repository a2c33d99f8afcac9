import type { Fetch } from 'soil-batch-client';

/** The service's time, which decides how long an idempotency key is kept: the clock here may be wrong. */
export interface ServiceClock {
  /** Milliseconds, by the header `Date` of the service's last response; before it, by this machine. */
  now(): number;
  /** Sends the requests of a client, and reads the header. */
  readonly fetch: Fetch;
}

/** `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7), of this century. */
const HTTP_DATE = /^\w{3}, \d{2} \w{3} 20\d{2} \d{2}:\d{2}:\d{2} GMT$/;

export function serviceClock(baseUrl: string, send: Fetch = fetch): ServiceClock {
  let aheadMs = 0;
  return {
    now: () => Date.now() + aheadMs,
    async fetch(url, init) {
      const response = await send(url, init);
      const date = response.headers.get('Date') ?? '';
      if (url.startsWith(`${baseUrl}/`) && HTTP_DATE.test(date)) {
        aheadMs = Date.parse(date) - Date.now();
      }
      return response;
    },
  };
}
