import {
  type Allowance,
  fits,
  inHectares,
  remainingOf,
  type Wanted,
} from '../../domain/admission/quota.ts';
import { rateLimitHeaders, secondsToReset } from '../responses/rate-limit-headers.ts';
import { Problem } from './problem.ts';

/**
 * Says what the batch needs, what is left and when the quota resets, or that the batch exceeds a whole
 * day's quota.
 * @param wanted null for a batch that was not read, because nothing is left
 */
export function quotaProblem(wanted: Wanted | null, allowance: Allowance, now: Date): Problem {
  const { limit, resetsAt } = allowance;
  const left = `Of today’s ${inWords(limit)}, ${inWords(remainingOf(allowance))} are left.`;
  const detail =
    wanted === null
      ? `${left} The batch was not read.`
      : `The batch needs ${inWords(wanted)}. ${left}`;
  const isTooMuch =
    wanted !== null && !fits({ ...wanted, squareMetres: wanted.squareMetres ?? 0 }, limit);
  const advice = isTooMuch
    ? 'That is more than the quota of a whole day: split the batch.'
    : `The quota resets at ${resetsAt}.`;
  return new Problem('quota-exceeded', `${detail} ${advice}`, {
    headers: {
      ...rateLimitHeaders(allowance, now),
      'Retry-After': String(secondsToReset(allowance, now)),
    },
  });
}

function inWords({ jobs, squareMetres }: Wanted): string {
  const inJobs = `${jobs} ${jobs === 1 ? 'job' : 'jobs'}`;
  return squareMetres === null ? inJobs : `${inJobs} and ${inHectares(squareMetres)} ha`;
}
