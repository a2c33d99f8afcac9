import { LIMITS } from '../limits.ts';

/** One thing wrong with a request: where (RFC 6901 pointer) and what is allowed instead. */
export interface Violation {
  readonly pointer: string;
  readonly message: string;
}

/** What a batch asks for, as far as it could be read; null = absent or unreadable. */
export interface Amounts {
  readonly tenant: string;
  readonly jobs: number | null;
  readonly metadataBytes: number | null;
}

/**
 * The limits of a single request, the same for every tenant. Quotas and idempotency keys are judged
 * in the transaction that makes the batch: `createBatch` asks for both.
 * @returns nothing when it may
 */
export function admit(amounts: Amounts): readonly Violation[] {
  const violations: Violation[] = [];
  if (amounts.jobs !== null && amounts.jobs > LIMITS.jobsPerBatch) {
    violations.push({
      pointer: '/jobs',
      message: `must list 1 to ${LIMITS.jobsPerBatch} jobs; got ${amounts.jobs}`,
    });
  }
  if (amounts.metadataBytes !== null && amounts.metadataBytes > LIMITS.metadataBytes) {
    violations.push({
      pointer: '/metadata',
      message: `must be at most ${LIMITS.metadataBytes} bytes of JSON text as sent; got ${amounts.metadataBytes}`,
    });
  }
  return violations;
}
