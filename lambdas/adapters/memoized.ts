import type { Clock } from '../domain/clock.ts';

/** By default, a success is cached for the container's lifetime. */
interface Expiry {
  readonly afterMs: number;
  readonly clock: Clock;
}

/** Caches a success. Concurrent callers share one call, and failures are not cached. */
export function memoize<Value>(
  make: () => Promise<Value>,
  expiry: Expiry | null = null,
): () => Promise<Value> {
  let cached: { readonly value: Promise<Value>; readonly until: number } | undefined;
  return () => {
    const now = expiry?.clock().getTime() ?? 0;
    if (cached !== undefined && now < cached.until) return cached.value;
    const current = { value: make(), until: now + (expiry?.afterMs ?? Number.POSITIVE_INFINITY) };
    cached = current;
    current.value.catch(() => {
      if (cached === current) cached = undefined;
    });
    return current.value;
  };
}
