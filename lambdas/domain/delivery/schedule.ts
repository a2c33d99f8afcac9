import { addSeconds, type Timestamp } from '../clock.ts';

/**
 * Seconds from a failed attempt to the next one: the specification's schedule, and the only place
 * where it stands. It can end at 900 s because a message's `DelaySeconds` does (SQS quota).
 */
export const RETRY_DELAYS_SECONDS = [10, 30, 60, 300, 900] as const;

/**
 * The first attempt and its retries. Each is timed by the one before, in one chain of requests, of which
 * Lambda stops a function at about 16 invocations.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
export const MAX_ATTEMPTS = RETRY_DELAYS_SECONDS.length + 1;

/** SQS: the longest delay of one message. */
export const MAX_TIMER_SECONDS = 900;

/**
 * When the attempt after the failed one is due; null after the last.
 * @param factor of a deployment whose clock of deliveries runs faster; 1 where it is told the time
 */
export function nextAttemptAfter(
  failedAttempt: number,
  failedAt: Timestamp,
  factor = 1,
): Timestamp | null {
  const delay = RETRY_DELAYS_SECONDS[failedAttempt - 1];
  return delay === undefined ? null : addSeconds(failedAt, delay * factor);
}

/** Whole seconds for a timer that must not ring before `due`. */
export function secondsUntil(due: Timestamp, now: Timestamp): number {
  const seconds = Math.ceil((Date.parse(due) - Date.parse(now)) / 1000);
  return Math.min(Math.max(seconds, 0), MAX_TIMER_SECONDS);
}
