import { SQUARE_METRES_PER_HECTARE } from '#engine/geometry/ellipsoid.ts';
import type { Timestamp } from '../clock.ts';
import { LIMITS } from '../limits.ts';
import { limitsOf, type TenantLimits, type TenantRecords } from '../tenant/tenant.ts';
import type { Idempotency } from './idempotency.ts';

/** A UTC day, `YYYY-MM-DD`. */
export type Day = string;

/** The area is in whole square metres, so that sums do not drift. */
export interface Amount {
  readonly jobs: number;
  readonly squareMetres: number;
}

/** `squareMetres` is null until the polygons have been validated. */
export interface Wanted {
  readonly jobs: number;
  readonly squareMetres: number | null;
}

export interface QuotaUsage {
  /** The amount charged, minus refunds. */
  readonly used: Amount;
  readonly refunded: Amount;
}

export interface Allowance extends QuotaUsage {
  readonly day: Day;
  readonly limit: Amount;
  readonly resetsAt: Timestamp;
}

export interface Charge {
  readonly day: Day;
  readonly wanted: Amount;
  /** The tenant's limit for the whole day. */
  readonly limit: Amount;
  readonly idempotency: Idempotency | null;
}

/** `key-taken`: another creation, of the same or a different request, has this idempotency key. */
export type CreationOutcome = 'created' | 'over-quota' | 'key-taken';

export interface Refund {
  readonly tenant: string;
  readonly day: Day;
  /** The part for service failures that a client cannot cause. */
  readonly amount: Amount;
  /**
   * The part for jobs whose failure a client can cause. It is refunded completely or not at all; see {@link
   * MAX_BOUNDED_REFUND_PER_DAY}.
   */
  readonly bounded: Amount;
}

export const NOTHING: Amount = { jobs: 0, squareMetres: 0 };

/**
 * A refund for failures that a client can cause is made only if all refunds of the tenant's day then stay within this
 * amount. This bounds loops of creating and cancelling batches, and of predicting cells whose values do not fit the
 * pack's sample type.
 */
export const MAX_BOUNDED_REFUND_PER_DAY: Amount = {
  jobs: LIMITS.jobsPerDay,
  squareMetres: LIMITS.hectaresPerDay * SQUARE_METRES_PER_HECTARE,
};

const DAY_MS = 24 * 60 * 60 * 1_000;

export function dayOf(at: Timestamp): Day {
  return at.slice(0, 'YYYY-MM-DD'.length);
}

/** Returns the midnight (UTC) that ends the day. */
export function endOfDay(day: Day): Timestamp {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + DAY_MS).toISOString();
}

export function allowanceOf(day: Day, limits: TenantLimits, use: QuotaUsage): Allowance {
  const { jobsPerDay, hectaresPerDay } = limits;
  const limit = { jobs: jobsPerDay, squareMetres: hectaresPerDay * SQUARE_METRES_PER_HECTARE };
  return { ...use, day, limit, resetsAt: endOfDay(day) };
}

/** Returns what is left, but never less than zero, because a limit may have been lowered below the usage. */
export function remainingOf({ limit, used }: Pick<Allowance, 'limit' | 'used'>): Amount {
  return {
    jobs: Math.max(limit.jobs - used.jobs, 0),
    squareMetres: Math.max(limit.squareMetres - used.squareMetres, 0),
  };
}

export function isUsedUp(allowance: Pick<Allowance, 'limit' | 'used'>): boolean {
  const { jobs, squareMetres } = remainingOf(allowance);
  return jobs === 0 || squareMetres === 0;
}

export function addAmounts(a: Amount, b: Amount): Amount {
  return { jobs: a.jobs + b.jobs, squareMetres: a.squareMetres + b.squareMetres };
}

export function fits(wanted: Amount, within: Amount): boolean {
  return wanted.jobs <= within.jobs && wanted.squareMetres <= within.squareMetres;
}

export function inHectares(squareMetres: number): number {
  return squareMetres / SQUARE_METRES_PER_HECTARE;
}

/** Port to tenants' daily usage. Reads are strongly consistent. */
export interface Quotas {
  use(tenant: string, day: Day): Promise<QuotaUsage>;
}

export interface TenantQuotaPorts {
  readonly tenants: Pick<TenantRecords, 'find'>;
  readonly quotas: Quotas;
}

export interface TenantQuota {
  readonly limits: TenantLimits;
  readonly allowance: Allowance;
}

export async function readTenantQuota(
  { tenants, quotas }: TenantQuotaPorts,
  tenant: string,
  day: Day,
): Promise<TenantQuota> {
  const [record, use] = await Promise.all([tenants.find(tenant), quotas.use(tenant, day)]);
  const limits = limitsOf(record);
  return { limits, allowance: allowanceOf(day, limits, use) };
}

export async function readAllowance(
  ...args: Parameters<typeof readTenantQuota>
): Promise<Allowance> {
  return (await readTenantQuota(...args)).allowance;
}
