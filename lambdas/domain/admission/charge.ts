import { LIMITS } from '../limits.ts';
import type { Idempotency } from './idempotency.ts';
import type { Amount, Day } from './quota.ts';

/** What a batch takes of its tenant's quota, in the transaction that creates it. */
export interface Charge {
  readonly day: Day;
  readonly wanted: Amount;
  /** For the whole day. */
  readonly limit: Amount;
  readonly idempotency: Idempotency | null;
}

/** `key-taken`: another creation has this idempotency key, with the same request or a different one. */
export type CreationOutcome = 'created' | 'over-quota' | 'key-taken';

/** Quota that a finished batch returns to its tenant. */
export interface Refund {
  readonly tenant: string;
  readonly day: Day;
  /** For failures of the service. */
  readonly amount: Amount;
  /** For jobs cancelled before they were planned; all or nothing, see {@link REFUNDED_JOBS_PER_DAY}. */
  readonly cancelled: Amount;
}

/**
 * Cancelled jobs are refunded while no more jobs than this are refunded of a tenant's day, so creating
 * and cancelling batches in a loop is bounded: by this and the quota.
 */
export const REFUNDED_JOBS_PER_DAY = LIMITS.jobsPerDay;
