import type { Delays } from '../../lib/retries.ts';
import { createRandom } from '../random.ts';

/** Seconds before a retry, at most: full jitter draws each evenly from zero to this. */
function computeLongestPause({ interval, backoffRate, maxDelay }: Delays, attempt: number): number {
  return Math.min(interval.toSeconds() * backoffRate ** attempt, maxDelay.toSeconds());
}

/** Seconds until a retrier gives up what is refused every time: on average, and at most. */
export function computePatience(delays: Delays): { readonly mean: number; readonly most: number } {
  const pauses = Array.from({ length: delays.maxAttempts }, (_, attempt) =>
    computeLongestPause(delays, attempt),
  );
  const most = pauses.reduce((sum, pause) => sum + pause, 0);
  return { mean: most / 2, most };
}

const RUNS = 20_000;

export interface Outlasted {
  /** Seconds from the first refusal to the call that succeeds, on average. */
  readonly meanWait: number;
  /** The share of steps that use up their retries before calls succeed again. */
  readonly failed: number;
}

/** Simulates steps that are refused from their first call until `seconds` have passed. */
export function countOutlasted(delays: Delays, seconds: number): Outlasted {
  const random = createRandom(1);
  let [waited, failed] = [0, 0];
  for (let run = 0; run < RUNS; run += 1) {
    let [now, attempt] = [0, 0];
    while (now < seconds && attempt < delays.maxAttempts) {
      now += random() * computeLongestPause(delays, attempt);
      attempt += 1;
    }
    if (now < seconds) failed += 1;
    else waited += now;
  }
  return { meanWait: waited / (RUNS - failed), failed: failed / RUNS };
}
