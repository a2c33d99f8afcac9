import {
  type Allowance,
  type Amount,
  fits,
  inHectares,
  remainingOf,
} from '../../domain/admission/quota.ts';
import { Problem } from './problem.ts';
import { rateLimitHeaders, secondsToReset } from './rate-limit-headers.ts';

/** Says what was asked for, what is left and until when; and when no day would ever do. */
export function quotaProblem(wanted: Amount, allowance: Allowance, now: Date): Problem {
  const { limit, resetsAt } = allowance;
  const advice = fits(wanted, limit)
    ? `The next day begins at ${resetsAt}.`
    : 'That is more than a whole day allows: send it in parts.';
  return new Problem(
    'quota-exceeded',
    `The batch asks for ${inWords(wanted)}. Of today’s ${inWords(limit)} there are ${inWords(remainingOf(allowance))} left. ${advice}`,
    {
      headers: {
        ...rateLimitHeaders(allowance, now),
        'Retry-After': String(secondsToReset(allowance, now)),
      },
    },
  );
}

function inWords({ jobs, squareMetres }: Amount): string {
  return `${jobs} ${jobs === 1 ? 'job' : 'jobs'} and ${inHectares(squareMetres)} ha`;
}
