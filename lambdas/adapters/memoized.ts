import type { Clock } from '../domain/clock.ts';

/** Until when a success holds; without one, as long as the container lives. */
interface Expiry {
  readonly afterMs: number;
  readonly clock: Clock;
}

/** Remembers a success; of callers at the same time one asks, and a failure is asked about again. */
export function memoized<Value>(
  make: () => Promise<Value>,
  expiry: Expiry | null = null,
): () => Promise<Value> {
  let known: { readonly value: Promise<Value>; readonly until: number } | undefined;
  return () => {
    const now = expiry?.clock().getTime() ?? 0;
    if (known !== undefined && now < known.until) return known.value;
    const mine = { value: make(), until: now + (expiry?.afterMs ?? Number.POSITIVE_INFINITY) };
    known = mine;
    mine.value.catch(() => {
      if (known === mine) known = undefined;
    });
    return mine.value;
  };
}
