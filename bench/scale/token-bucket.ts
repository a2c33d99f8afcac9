/** A rate with room for bursts: how AWS throttles requests. */
export interface TokenBucket {
  /** Takes one if there is one. */
  tryTake(now: number): boolean;
  /** Takes so many in turn. @returns the seconds until they are there */
  take(now: number, count: number): number;
}

export function tokenBucket(size: number, perSecond: number): TokenBucket {
  let [tokens, seen] = [size, 0];
  const refill = (now: number) => {
    tokens = Math.min(size, tokens + (now - seen) * perSecond);
    seen = now;
  };
  return {
    tryTake(now) {
      refill(now);
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    take(now, count) {
      refill(now);
      tokens -= count;
      return tokens >= 0 ? 0 : -tokens / perSecond;
    },
  };
}
