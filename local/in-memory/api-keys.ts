import type { ApiKeyRecord, ApiKeys } from '../../lambdas/domain/tenant/api-key.ts';

/** As stored: the time of the first revocation stays, and an expiry can only become earlier. */
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
