import type { ApiKeyRecord, ApiKeys } from '../../lambdas/domain/tenant/api-key.ts';
import type {
  TenantLimits,
  TenantRecord,
  TenantRecords,
} from '../../lambdas/domain/tenant/tenant.ts';

/** The in-memory adapter of the port. */
export function inMemoryTenants(): TenantRecords & { readonly records: Map<string, TenantRecord> } {
  const records = new Map<string, TenantRecord>();
  return {
    records,
    find: async (tenant) => records.get(tenant) ?? null,
    list: async () => [...records.values()].sort((a, b) => a.tenant.localeCompare(b.tenant)),
    create: async (record) => {
      if (records.has(record.tenant)) return 'exists';
      records.set(record.tenant, record);
      return 'created';
    },
    setLimits: async (tenant, changes) => {
      const record = records.get(tenant);
      if (record === undefined) return 'unknown';
      const merged = Object.entries({ ...record.limits, ...changes });
      const limits = Object.fromEntries(merged.filter(([, value]) => value !== null));
      records.set(tenant, { ...record, limits: limits as Partial<TenantLimits> });
      return 'set';
    },
    disable: async (tenant, at) => {
      const record = records.get(tenant) ?? { tenant, createdAt: at, disabledAt: null, limits: {} };
      records.set(tenant, { ...record, disabledAt: record.disabledAt ?? at });
    },
    enable: async (tenant) => {
      const record = records.get(tenant);
      if (record !== undefined) records.set(tenant, { ...record, disabledAt: null });
    },
  };
}

/** The time of the first revocation stays, and an expiry can only become earlier, as on DynamoDB. */
export function inMemoryApiKeys(): ApiKeys & { readonly records: Map<string, ApiKeyRecord> } {
  const records = new Map<string, ApiKeyRecord>();
  return {
    records,
    find: async (digest) => records.get(digest) ?? null,
    create: async (record) => {
      records.set(record.digest, record);
    },
    list: async (tenant) =>
      [...records.values()].filter((record) => tenant === null || record.tenant === tenant),
    revoke: async (digest, at) => {
      const record = records.get(digest);
      if (record?.revokedAt === null) records.set(digest, { ...record, revokedAt: at });
    },
    endBy: async (digest, end) => {
      const record = records.get(digest);
      if (record === undefined || (record.expiresAt !== null && record.expiresAt <= end)) return;
      records.set(digest, { ...record, expiresAt: end });
    },
  };
}
