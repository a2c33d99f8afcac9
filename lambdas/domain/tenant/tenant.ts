import type { Timestamp } from '../clock.ts';
import { DEFAULT_TENANT_LIMITS, type TenantLimits } from './tenant-limits.ts';

/** Letters and digits first: a tenant's name stands in keys, contexts and log lines. */
export const TENANT_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** What is written of a tenant. */
export interface TenantRecord {
  readonly tenant: string;
  readonly createdAt: Timestamp;
  readonly disabledAt: Timestamp | null;
  /** What was set for it; all else is the default, and changes with it. */
  readonly limits: Partial<TenantLimits>;
}

/** A change of limits; null = back to the default. */
export type LimitChanges = { readonly [Name in keyof TenantLimits]?: number | null };

/** Port to the tenants' records; one that was never written is an ordinary, enabled tenant. */
export interface TenantRecords {
  find(tenant: string): Promise<TenantRecord | null>;
  /** Of every tenant that was written; an operator's command, so it may be slow. */
  list(): Promise<readonly TenantRecord[]>;
  create(record: TenantRecord): Promise<'created' | 'exists'>;
  setLimits(tenant: string, changes: LimitChanges): Promise<'set' | 'unknown'>;
  /** Also of a tenant that was never written; the first time stays. */
  disable(tenant: string, at: Timestamp): Promise<void>;
  enable(tenant: string): Promise<void>;
}

/** In force: what was set for the tenant, before the defaults. */
export function limitsOf(record: TenantRecord | null): TenantLimits {
  return { ...DEFAULT_TENANT_LIMITS, ...record?.limits };
}
