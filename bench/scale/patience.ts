import type { Delays } from '../../lib/retries.ts';
import { createRandom } from '../random.ts';

/**
 * Returns the longest pause before a retry. Full jitter draws each pause uniformly between zero and this longest pause.
 */
function computeLongestPause({ interval, backoffRate, maxDelay }: Delays, attempt: number): number {
  return Math.min(interval.toSeconds() * backoffRate ** attempt, maxDelay.toSeconds());
}

/** Returns the seconds, mean and maximum, until a retrier gives up on a call that is refused every time. */
export function computePatience(delays: Delays): { readonly mean: number; readonly most: number } {
  const pauses = Array.from({ length: delays.maxAttempts }, (_, attempt) =>
    computeLongestPause(delays, attempt),
  );
  const most = pauses.reduce((sum, pause) => sum + pause, 0);
  return { mean: most / 2, most };
}

const RUNS = 20_000;

export interface ThrottlingOutcome {
  /** Average seconds from the first refusal to the call that succeeds. */
  readonly meanWait: number;
  /** The share of steps that use up their retries before calls succeed again. */
  readonly failed: number;
}

/** The steps are refused from their first call until `seconds` have passed. */
export function simulateThrottling(delays: Delays, seconds: number): ThrottlingOutcome {
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
