import { randomBytes } from 'node:crypto';
import { type Clock, type Timestamp, timestamp } from '../clock.ts';
import { type ApiKeyRecord, type ApiKeys, digestOf, newApiKey } from './api-key.ts';

export interface KeyOrder {
  readonly tenant: string;
  readonly name: string | null;
  readonly expiresAt: Timestamp | null;
}

/** The key itself, shown only once. */
export interface IssuedKey {
  readonly key: string;
  readonly record: ApiKeyRecord;
}

export async function issueKey(
  ports: { readonly keys: ApiKeys; readonly clock: Clock },
  order: KeyOrder,
): Promise<IssuedKey> {
  const key = newApiKey();
  const record: ApiKeyRecord = {
    ...order,
    digest: digestOf(key),
    id: `key_${randomBytes(6).toString('hex')}`,
    createdAt: timestamp(ports.clock()),
    revokedAt: null,
  };
  await ports.keys.create(record);
  return { key, record };
}

/** @returns null if no key has this id */
export async function revokeKey(
  ports: { readonly keys: ApiKeys; readonly clock: Clock },
  id: string,
): Promise<ApiKeyRecord | null> {
  const record = (await ports.keys.list(null)).find((known) => known.id === id);
  if (record === undefined) return null;
  const at = timestamp(ports.clock());
  await ports.keys.revoke(record.digest, at);
  return { ...record, revokedAt: record.revokedAt ?? at };
}
