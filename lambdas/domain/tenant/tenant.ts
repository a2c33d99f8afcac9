import type { Timestamp } from '../clock.ts';
import { LIMITS } from '../limits.ts';

export interface TenantLimits {
  readonly jobsPerDay: number;
  /** Charged area, in whole hectares. */
  readonly hectaresPerDay: number;
  /** Charged area of one job, in whole hectares. */
  readonly hectaresPerJob: number;
  /** At least 1. */
  readonly requestsPerMinute: number;
  /** By default the number that the stage configures. */
  readonly runningBatches?: number;
}

/** The default limits. None of them is an AWS limit. */
export const DEFAULT_TENANT_LIMITS: TenantLimits = {
  jobsPerDay: LIMITS.jobsPerDay,
  hectaresPerDay: LIMITS.hectaresPerDay,
  hectaresPerJob: LIMITS.hectaresPerJob,
  requestsPerMinute: LIMITS.requestsPerMinute,
};

/** Starts with a letter or digit. The name is part of item keys, encryption contexts and log entries. */
export const TENANT_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

export interface TenantRecord {
  readonly tenant: string;
  readonly createdAt: Timestamp;
  readonly disabledAt: Timestamp | null;
  /** The limits configured for the tenant; all others are the defaults. */
  readonly limits: Partial<TenantLimits>;
}

/** Null returns a limit to its default. */
export type LimitChanges = { readonly [Name in keyof TenantLimits]?: number | null };

/** Port to the tenants' records. A tenant without a record is enabled and has the default limits. */
export interface TenantRecords {
  find(tenant: string): Promise<TenantRecord | null>;
  /** Lists every tenant with a record; a slow scan for operators. */
  list(): Promise<readonly TenantRecord[]>;
  create(record: TenantRecord): Promise<'created' | 'exists'>;
  setLimits(tenant: string, changes: LimitChanges): Promise<'set' | 'unknown'>;
  /** Also disables a tenant that has no record. A repeated call keeps the first time. */
  disable(tenant: string, at: Timestamp): Promise<void>;
  enable(tenant: string): Promise<void>;
}

export function limitsOf(record: TenantRecord | null): TenantLimits {
  return { ...DEFAULT_TENANT_LIMITS, ...record?.limits };
}
