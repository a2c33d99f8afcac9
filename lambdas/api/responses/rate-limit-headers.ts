import {
  type Allowance,
  type Amount,
  inHectares,
  remainingOf,
} from '../../domain/admission/quota.ts';

/** Seconds to the end of the allowance's UTC day, at least one. */
export function secondsToReset({ resetsAt }: Allowance, now: Date): number {
  return Math.max(Math.ceil((Date.parse(resetsAt) - now.getTime()) / 1_000), 1);
}

/** `Reset` is in seconds from now, as `Retry-After` is, because the client's clock may differ. */
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
