import type { Timestamp } from '../clock.ts';
import type { TenantLimits } from '../tenant/tenant-limits.ts';

/** A UTC day, `YYYY-MM-DD`. */
export type Day = string;

/** What is counted: whole square metres, so that no sum of areas ever drifts. */
export interface Amount {
  readonly jobs: number;
  readonly squareMetres: number;
}

/** What a batch asks for: its area is unknown while its polygons are not judged. */
export interface Wanted {
  readonly jobs: number;
  readonly squareMetres: number | null;
}

/** What a tenant took of one day. */
export interface QuotaUsage {
  /** Without what was given back. */
  readonly used: Amount;
  /** Of jobs that failed by our fault. */
  readonly refunded: Amount;
}

/** A tenant's standing on one day. */
export interface Allowance extends QuotaUsage {
  readonly day: Day;
  readonly limit: Amount;
  readonly resetsAt: Timestamp;
}

export const NOTHING: Amount = { jobs: 0, squareMetres: 0 };

const SQUARE_METRES_PER_HECTARE = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

export function dayOf(at: Timestamp): Day {
  return at.slice(0, 'YYYY-MM-DD'.length);
}

/** The midnight (UTC) at which the day's quota ends. */
export function endOfDay(day: Day): Timestamp {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + DAY_MS).toISOString();
}

export function allowanceOf(day: Day, limits: TenantLimits, use: QuotaUsage): Allowance {
  const { jobsPerDay, hectaresPerDay } = limits;
  const limit = { jobs: jobsPerDay, squareMetres: hectaresPerDay * SQUARE_METRES_PER_HECTARE };
  return { ...use, day, limit, resetsAt: endOfDay(day) };
}

/** Never below nothing: a limit may have been lowered since. */
export function remainingOf({ limit, used }: Pick<Allowance, 'limit' | 'used'>): Amount {
  return {
    jobs: Math.max(limit.jobs - used.jobs, 0),
    squareMetres: Math.max(limit.squareMetres - used.squareMetres, 0),
  };
}

/** Whether nothing is left of the jobs or of the area: no batch fits, however small. */
export function isUsedUp(allowance: Pick<Allowance, 'limit' | 'used'>): boolean {
  const { jobs, squareMetres } = remainingOf(allowance);
  return jobs === 0 || squareMetres === 0;
}

export function fits(wanted: Amount, within: Amount): boolean {
  return wanted.jobs <= within.jobs && wanted.squareMetres <= within.squareMetres;
}

export function inHectares(squareMetres: number): number {
  return squareMetres / SQUARE_METRES_PER_HECTARE;
}

/** Port to what tenants took of their days; read consistently. */
export interface Quotas {
  use(tenant: string, day: Day): Promise<QuotaUsage>;
}
