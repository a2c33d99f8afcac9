import { randomBytes } from 'node:crypto';
import { type Clock, type Timestamp, timestamp } from '../clock.ts';
import { type ApiKeyRecord, type ApiKeys, hashApiKey, keyState, newApiKey } from './api-key.ts';

export interface ApiKeyRequest {
  readonly tenant: string;
  readonly name: string | null;
  readonly expiresAt: Timestamp | null;
}

/** The key is shown only once. */
export interface IssuedKey {
  readonly key: string;
  readonly record: ApiKeyRecord;
}

export async function issueKey(
  ports: { readonly keys: ApiKeys; readonly clock: Clock },
  request: ApiKeyRequest,
): Promise<IssuedKey> {
  const key = newApiKey();
  const record: ApiKeyRecord = {
    ...request,
    digest: hashApiKey(key),
    id: `key_${randomBytes(6).toString('hex')}`,
    createdAt: timestamp(ports.clock()),
    revokedAt: null,
  };
  await ports.keys.create(record);
  return { key, record };
}

/** @returns null if no key has this ID */
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

interface ApiKeyRotation {
  readonly id: string;
  readonly oldEnds: Timestamp;
  /** Null for never. */
  readonly expiresAt: Timestamp | null;
}

type Rotation =
  | ({ readonly kind: 'rotated'; readonly old: ApiKeyRecord } & IssuedKey)
  | { readonly kind: 'unknown' }
  /** The key was revoked or has expired, so it cannot be rotated. */
  | { readonly kind: 'over' };

/**
 * Creates the new key before it sets the end of the old one, so that the tenant still has a valid key if the process
 * dies in between.
 */
export async function rotateKey(
  ports: { readonly keys: ApiKeys; readonly clock: Clock },
  { id, oldEnds, expiresAt }: ApiKeyRotation,
): Promise<Rotation> {
  const old = (await ports.keys.list(null)).find((known) => known.id === id);
  if (old === undefined) return { kind: 'unknown' };
  if (keyState(old, timestamp(ports.clock())) !== 'active') return { kind: 'over' };
  const { tenant, name } = old;
  const issued = await issueKey(ports, { tenant, name, expiresAt });
  await ports.keys.endBy(old.digest, oldEnds);
  return { kind: 'rotated', ...issued, old: { ...old, expiresAt: earlierEnd(old, oldEnds) } };
}

function earlierEnd({ expiresAt }: ApiKeyRecord, end: Timestamp): Timestamp {
  return expiresAt !== null && expiresAt < end ? expiresAt : end;
}
