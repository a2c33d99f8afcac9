import type { Idempotency } from './idempotency.ts';
import type { Amount, Day } from './quota.ts';

/** What a batch takes of its tenant, in the transaction that makes it. */
export interface Charge {
  readonly day: Day;
  readonly wanted: Amount;
  /** Of the whole day. */
  readonly limit: Amount;
  readonly idempotency: Idempotency | null;
}

/** `key-taken`: another creation has the idempotency key, equal to this one or not. */
export type CreationOutcome = 'created' | 'over-quota' | 'key-taken';

/** What a finished batch gives back to its tenant. */
export interface Refund {
  readonly tenant: string;
  readonly day: Day;
  readonly amount: Amount;
}
