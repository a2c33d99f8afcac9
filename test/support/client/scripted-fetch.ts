import type { Fetch } from 'soil-batch-client';

export interface Exchange {
  readonly url: URL;
  readonly init: RequestInit;
  readonly headers: Headers;
}

/** Returns a `fetch` that responds with these responses in order and records the requests. */
export function scriptedFetch(...responses: readonly (() => Response)[]) {
  const exchanges: Exchange[] = [];
  const fetch: Fetch = async (url, init) => {
    const next = responses[exchanges.length];
    exchanges.push({ url: new URL(url), init, headers: new Headers(init.headers) });
    if (next === undefined) throw new Error('the script has no more responses');
    return next();
  };
  return { fetch, exchanges };
}
