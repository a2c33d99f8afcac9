import type { Delays } from '../../lib/retries.ts';
import { longestPause } from './patience.ts';
import { QUOTAS } from './quotas.ts';
import type { Timeline } from './timeline.ts';
import { type TokenBucket, tokenBucket } from './token-bucket.ts';

/** An account's functions: so many at a time in all, and each function so many new environments. */
export interface Functions {
  /** Calls one now or never, as API Gateway does. @returns whether it was taken */
  tryCall(name: string, seconds: number, done: () => void): boolean;
  /** Calls one as Step Functions does: again after a throttle, as often as its retrier says. */
  call(step: Step, done: () => void, abandoned: () => void): void;
  running(): number;
  readonly count: { calls: number; throttled: number; abandoned: number };
}

/** A state of the state machine: which function it calls, for how long, and who tries a throttle again. */
export interface Step {
  readonly name: string;
  readonly seconds: number;
  readonly throttled: Delays;
}

interface Environments {
  idle: number;
  readonly fresh: TokenBucket;
}

export function functionsOf(atOnce: number, time: Timeline, random: () => number): Functions {
  const count = { calls: 0, throttled: 0, abandoned: 0 };
  const environments = new Map<string, Environments>();
  let running = 0;

  function environmentsOf(name: string): Environments {
    const { value } = QUOTAS.newEnvironments;
    const known = environments.get(name) ?? { idle: 0, fresh: tokenBucket(value, value / 10) };
    environments.set(name, known);
    return known;
  }

  function tryCall(name: string, seconds: number, done: () => void): boolean {
    const of = environmentsOf(name);
    count.calls += 1;
    if (running >= atOnce || (of.idle === 0 && !of.fresh.tryTake(time.now()))) {
      count.throttled += 1;
      return false;
    }
    if (of.idle > 0) of.idle -= 1;
    running += 1;
    time.after(seconds, () => {
      running -= 1;
      of.idle += 1;
      done();
    });
    return true;
  }

  function call(step: Step, done: () => void, abandoned: () => void, attempt = 0): void {
    if (tryCall(step.name, step.seconds, done)) return;
    if (attempt === step.throttled.maxAttempts) {
      count.abandoned += 1;
      abandoned();
      return;
    }
    // Full jitter: anywhere between now and the pause.
    const pause = longestPause(step.throttled, attempt);
    time.after(random() * pause, () => call(step, done, abandoned, attempt + 1));
  }

  return { tryCall, call, running: () => running, count };
}
