import type { SoilError } from './soil-error.ts';

/** When requests are retried. */
export interface RetryPolicy {
  /** How many times a request is sent at most if its responses are lost or have a status of 5xx. */
  readonly attempts: number;
  /** How many seconds one request may wait in total, including after `throttled` responses. */
  readonly maxWaitSeconds: number;
  /** The longest wait after the first failure, without a `Retry-After`. It doubles with each failure, up to 20 s. */
  readonly firstWaitSeconds: number;
}

export const DEFAULT_RETRIES: RetryPolicy = {
  attempts: 6,
  maxWaitSeconds: 300,
  firstWaitSeconds: 0.5,
};

const LONGEST_WAIT_SECONDS = 20;

export interface Attempts {
  /** The number of attempts so far that failed for reasons other than `throttled`. */
  readonly failed: number;
  readonly waitedSeconds: number;
  /** Whether sending the request twice has the same effect as sending it once. */
  readonly repeatable: boolean;
}

/** Chooses the seconds to wait before a retry; null if there must be none. */
export function chooseWait(
  error: SoilError,
  { failed, waitedSeconds, repeatable }: Attempts,
  policy: RetryPolicy,
  random: () => number = Math.random,
): number | null {
  const throttled = error.type === 'throttled';
  if (!throttled && !(repeatable && isTransient(error) && failed < policy.attempts)) return null;
  const seconds = Math.max(
    error.retryAfter ?? 0,
    computeBackOff(Math.max(failed, 1), policy, random),
  );
  return waitedSeconds + seconds > policy.maxWaitSeconds ? null : seconds;
}

/** The wait is shortened at random, by up to half, so that clients do not return at the same moment. */
export function computeBackOff(failed: number, policy: RetryPolicy, random = Math.random): number {
  const seconds = Math.min(policy.firstWaitSeconds * 2 ** (failed - 1), LONGEST_WAIT_SECONDS);
  return seconds * (0.5 + random() / 2);
}

/** A proxy in front of the service may limit requests too. */
function isTransient({ type, status }: SoilError): boolean {
  if (type === 'network') return true;
  return status !== null && (status >= 500 || (status === 429 && type === 'not-the-service'));
}

/**
 * Parses the `Retry-After` header, a number or a date, into seconds (RFC 9110, section 10.2.3); null if it is missing
 * or not valid.
 */
export function parseRetryAfter(headers: Headers, now = Date.now()): number | null {
  const value = headers.get('Retry-After')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
