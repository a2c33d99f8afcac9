import { addSeconds, type Timestamp } from '../clock.ts';

/** Seconds from a failed attempt to the next, as the specification requires. */
export const RETRY_DELAYS_SECONDS = [10, 30, 60, 300, 900] as const;

/**
 * The first attempt and its retries. Each attempt queues the next, so their invocations form one chain; Lambda stops
 * such a chain after about 16. https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
export const MAX_ATTEMPTS = RETRY_DELAYS_SECONDS.length + 1;

/** SQS quota: the longest `DelaySeconds` of a message. */
export const MAX_DELAY_SECONDS = 900;

/**
 * Returns when the attempt after the failed one is due; null after the last.
 * @param factor shortens the delays in local deployments; 1 otherwise
 */
export function nextAttemptAfter(
  failedAttempt: number,
  failedAt: Timestamp,
  factor = 1,
): Timestamp | null {
  const delay = RETRY_DELAYS_SECONDS[failedAttempt - 1];
  return delay === undefined ? null : addSeconds(failedAt, delay * factor);
}

/** Returns seconds rounded up, at most the longest that SQS allows. */
export function secondsUntil(due: Timestamp, now: Timestamp): number {
  const seconds = Math.ceil((Date.parse(due) - Date.parse(now)) / 1000);
  return Math.min(Math.max(seconds, 0), MAX_DELAY_SECONDS);
}
