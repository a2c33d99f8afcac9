import {
  type Allowance,
  type Amount,
  inHectares,
  remainingOf,
} from '../../domain/admission/quota.ts';
import type { UsageResponse } from './usage.ts';

export function usageView(allowance: Allowance): UsageResponse {
  const { day, limit, used, givenBack, resetsAt } = allowance;
  const remaining = remainingOf(allowance);
  const row = (of: (amount: Amount) => number) => ({
    limit: of(limit),
    used: of(used),
    remaining: of(remaining),
    given_back: of(givenBack),
  });
  return {
    day,
    resets_at: resetsAt,
    jobs: row(({ jobs }) => jobs),
    hectares: row(({ squareMetres }) => inHectares(squareMetres)),
  };
}
