import type { SoilError } from './soil-error.ts';

/** When a request is sent again. */
export interface RetryPolicy {
  /** How often a request whose response is lost, or that fails with a 5xx, is sent in total. */
  readonly attempts: number;
  /** How many seconds one request may wait in total, `throttled` responses included. */
  readonly maxWaitSeconds: number;
  /** The first wait without a `Retry-After`; each further one is twice as long. */
  readonly firstWaitSeconds: number;
}

export const DEFAULT_RETRIES: RetryPolicy = {
  attempts: 6,
  maxWaitSeconds: 300,
  firstWaitSeconds: 0.5,
};

/** The longest wait between two attempts without a `Retry-After`. */
const LONGEST_WAIT_SECONDS = 20;

/** The attempts of a request so far. */
export interface Attempts {
  /** Attempts that failed other than by `throttled`, this one included. */
  readonly failed: number;
  readonly waitedSeconds: number;
  /** Whether sending it again has the same effect as sending it once. */
  readonly repeatable: boolean;
}

/** Seconds to wait before the request is sent again; null if the error is final. */
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

/** Half of the wait is random, so that clients do not return at the same moment. */
export function computeBackOff(failed: number, policy: RetryPolicy, random = Math.random): number {
  const seconds = Math.min(policy.firstWaitSeconds * 2 ** (failed - 1), LONGEST_WAIT_SECONDS);
  return seconds * (0.5 + random() / 2);
}

/** A proxy before the service may limit requests too. */
function isTransient({ type, status }: SoilError): boolean {
  if (type === 'network') return true;
  return status !== null && (status >= 500 || (status === 429 && type === 'not-the-service'));
}

/** Seconds of the header `Retry-After`, a number or a date (RFC 9110, section 10.2.3); null without it. */
export function parseRetryAfter(headers: Headers, now = Date.now()): number | null {
  const value = headers.get('Retry-After')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
