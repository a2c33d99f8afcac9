import { setTimeout as sleep } from 'node:timers/promises';

export interface RequestLimits {
  /** Requests that run at the same time. */
  readonly atOnce: number;
  /** Requests that start within a second. */
  readonly perSecond: number;
}

/** Starts requests within limits, in their order. */
export interface RequestLimit {
  /** @param onWait called with the milliseconds before it waits for so long; may throw instead */
  run<T>(request: () => Promise<T>, onWait: (ms: number) => void): Promise<T>;
  /** Starts none for so long. */
  pause(ms: number): void;
}

export function requestLimit({ atOnce, perSecond }: RequestLimits): RequestLimit {
  let running = 0;
  /** As of `performance.now()`. */
  let nextStart = 0;
  const waiting: (() => void)[] = [];

  async function turn(onWait: (ms: number) => void): Promise<void> {
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
      // Whoever ends passes its place on.
      if (running < atOnce) running += 1;
      else await new Promise<void>((resume) => waiting.push(resume));
      try {
        await turn(onWait);
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
