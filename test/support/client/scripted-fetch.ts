import type { Fetch } from 'soil-batch-client';

export interface Exchange {
  readonly url: URL;
  readonly init: RequestInit;
  readonly headers: Headers;
}

/** A `fetch` with these responses, in order; it records the requests. */
export function scriptedFetch(...responses: readonly (() => Response)[]) {
  const exchanges: Exchange[] = [];
  const fetch: Fetch = async (url, init) => {
    const next = responses[exchanges.length];
    exchanges.push({ url: new URL(url), init, headers: new Headers(init.headers) });
    if (next === undefined) throw new Error('no more responses');
    return next();
  };
  return { fetch, exchanges };
}
