import { setTimeout as sleep } from 'node:timers/promises';

export interface RequestLimits {
  readonly atOnce: number;
  /** Requests that start within one second. */
  readonly perSecond: number;
}

/** Starts requests in order, within limits. */
export interface RequestLimit {
  /** @param onWait called before each wait with its milliseconds; may throw to give up instead */
  run<T>(request: () => Promise<T>, onWait: (ms: number) => void): Promise<T>;
  /** Starts no request for this many milliseconds. */
  pause(ms: number): void;
}

export function requestLimit({ atOnce, perSecond }: RequestLimits): RequestLimit {
  let running = 0;
  /** A time on the clock of `performance.now()`, in milliseconds. */
  let nextStart = 0;
  const waiting: (() => void)[] = [];

  async function waitForTurn(onWait: (ms: number) => void): Promise<void> {
    for (;;) {
      const waitMs = nextStart - performance.now();
      if (waitMs <= 0) break;
      onWait(waitMs);
      await sleep(waitMs);
    }
    nextStart = performance.now() + 1_000 / perSecond;
  }

  return {
    async run(request, onWait) {
      // A request that ends while others wait passes its place on, so `running` stays the same.
      if (running < atOnce) running += 1;
      else await new Promise<void>((resume) => waiting.push(resume));
      try {
        await waitForTurn(onWait);
        return await request();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
    pause(ms) {
      nextStart = Math.max(nextStart, performance.now() + ms);
    },
  };
}
