import type { Delays } from '../../lib/retries.ts';

/** Seconds before a retry, at most: full jitter draws each evenly from zero to this. */
function longestPause({ interval, backoffRate, maxDelay }: Delays, attempt: number): number {
  return Math.min(interval.toSeconds() * backoffRate ** attempt, maxDelay.toSeconds());
}

/** Seconds until a retrier gives up what is refused every time: on average, and at most. */
export function patienceOf(delays: Delays): { readonly mean: number; readonly most: number } {
  const pauses = Array.from({ length: delays.maxAttempts }, (_, attempt) =>
    longestPause(delays, attempt),
  );
  const most = pauses.reduce((sum, pause) => sum + pause, 0);
  return { mean: most / 2, most };
}
