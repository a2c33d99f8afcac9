import {
  type Allowance,
  type Amount,
  fits,
  inHectares,
  remainingOf,
  type Wanted,
} from '../../domain/admission/quota.ts';
import { Problem } from './problem.ts';

const LEAST_WANTED: Amount = { jobs: 1, squareMetres: 1 };

/**
 * Builds the problem that says what the batch needs, what is left, and when the quota resets. A batch that exceeds a
 * whole day's quota gets a remedy instead of the time, and no `Retry-After`, because it would fail again.
 * @param wanted null for a batch that was not read, because nothing is left
 */
export function quotaProblem(wanted: Wanted | null, allowance: Allowance, now: Date): Problem {
  const { limit, resetsAt } = allowance;
  const remainder = `Of today’s ${formatAmount(limit)}, ${formatAmount(remainingOf(allowance))} are left.`;
  const detail =
    wanted === null
      ? `${remainder} The request body was not read.`
      : `The batch needs ${formatAmount(wanted)}. ${remainder}`;
  const { jobs, squareMetres } = wanted ?? LEAST_WANTED;
  const isTooMuch = !fits({ jobs, squareMetres: squareMetres ?? 0 }, limit);
  const remedy =
    wanted === null
      ? 'Ask the operator for a larger quota.'
      : 'Send fewer or smaller jobs in a batch.';
  const advice = isTooMuch
    ? `The batch exceeds a whole day’s quota. ${remedy}`
    : `The quota resets at ${resetsAt}.`;
  return new Problem('quota-exceeded', `${detail} ${advice}`, {
    headers: {
      ...rateLimitHeaders(allowance, now),
      ...(isTooMuch ? {} : { 'Retry-After': String(secondsToReset(allowance, now)) }),
    },
  });
}

function formatAmount({ jobs, squareMetres }: Wanted): string {
  const inJobs = `${jobs} ${jobs === 1 ? 'job' : 'jobs'}`;
  return squareMetres === null ? inJobs : `${inJobs} and ${inHectares(squareMetres)} ha`;
}

function secondsToReset({ resetsAt }: Allowance, now: Date): number {
  return Math.max(Math.ceil((Date.parse(resetsAt) - now.getTime()) / 1_000), 1);
}

/** `Reset` is in seconds from now, like `Retry-After`, because the client's clock may differ. */
export function rateLimitHeaders(
  allowance: Allowance,
  now: Date,
): Readonly<Record<string, string>> {
  const reset = String(secondsToReset(allowance, now));
  return {
    ...amountHeaders('Limit', allowance.limit),
    ...amountHeaders('Remaining', remainingOf(allowance)),
    'X-RateLimit-Reset-Jobs': reset,
    'X-RateLimit-Reset-Hectares': reset,
  };
}

function amountHeaders(name: 'Limit' | 'Remaining', { jobs, squareMetres }: Amount) {
  return {
    [`X-RateLimit-${name}-Jobs`]: String(jobs),
    [`X-RateLimit-${name}-Hectares`]: String(inHectares(squareMetres)),
  };
}
