import {
  IDEMPOTENCY_HOURS,
  type IdempotencyKeys,
  type KnownCreation,
} from '../../lambdas/domain/admission/idempotency.ts';
import {
  type Charge,
  type CreationOutcome,
  fits,
  NOTHING,
  type Quotas,
  type QuotaUsage,
  REFUNDED_PER_DAY,
  type Refund,
  sumOf,
} from '../../lambdas/domain/admission/quota.ts';
import type { Batch } from '../../lambdas/domain/batch/batch.ts';
import type { Clock } from '../../lambdas/domain/clock.ts';

/** Usage of tenants per day, and their idempotency keys. */
export interface Charges {
  readonly days: Map<string, QuotaUsage>;
  readonly keys: Map<string, KnownCreation>;
  readonly quotas: Quotas;
  readonly idempotencyKeys: IdempotencyKeys;
  isKnown(tenant: string, key: string): boolean;
}

const UNUSED: QuotaUsage = { used: NOTHING, refunded: NOTHING };

export function inMemoryCharges(clock: Clock): Charges {
  const days = new Map<string, QuotaUsage>();
  const keys = new Map<string, KnownCreation>();
  const live = (name: string): KnownCreation | null => {
    const known = keys.get(name);
    if (known === undefined) return null;
    const end = Date.parse(known.createdAt) + IDEMPOTENCY_HOURS * 3_600_000;
    return end > clock().getTime() ? known : null;
  };
  return {
    days,
    keys,
    quotas: { use: async (tenant, day) => days.get(`${tenant}/${day}`) ?? UNUSED },
    idempotencyKeys: { find: async (tenant, key) => live(`${tenant}/${key}`) },
    isKnown: (tenant, key) => live(`${tenant}/${key}`) !== null,
  };
}

/** Why a creation's transaction would fail; null if its conditions hold. */
export function refusalOf(
  charges: Charges,
  { tenant }: Batch,
  { day, wanted, limit, idempotency }: Charge,
): Exclude<CreationOutcome, 'created'> | null {
  if (idempotency !== null && charges.isKnown(tenant, idempotency.key)) return 'key-taken';
  const { used } = charges.days.get(`${tenant}/${day}`) ?? UNUSED;
  const left = {
    jobs: limit.jobs - used.jobs,
    squareMetres: limit.squareMetres - used.squareMetres,
  };
  return fits(wanted, left) ? null : 'over-quota';
}

/** Writes of a creation's transaction. */
export function chargeQuota(
  { days, keys }: Charges,
  { tenant, batchId, createdAt }: Batch,
  { day, wanted, idempotency }: Charge,
): void {
  const { used, refunded } = days.get(`${tenant}/${day}`) ?? UNUSED;
  days.set(`${tenant}/${day}`, { used: sumOf(used, wanted), refunded });
  if (idempotency !== null) {
    const { key, digest } = idempotency;
    keys.set(`${tenant}/${key}`, { digest, batchId, createdAt });
  }
}

export function refundQuota({ days }: Charges, { tenant, day, amount, bounded }: Refund): void {
  const { used, refunded } = days.get(`${tenant}/${day}`) ?? UNUSED;
  const isWithin = fits(sumOf(refunded, bounded), REFUNDED_PER_DAY);
  const back = isWithin ? sumOf(amount, bounded) : amount;
  const less = { jobs: -back.jobs, squareMetres: -back.squareMetres };
  days.set(`${tenant}/${day}`, { used: sumOf(used, less), refunded: sumOf(refunded, back) });
}
