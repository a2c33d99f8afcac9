import { createHash, randomBytes } from 'node:crypto';
import { type Clock, type Timestamp, timestamp } from '../clock.ts';
import { limitsOf, type TenantRecords } from './tenant.ts';

/** `soc_` and 32 random bytes (256 bits) as base64url, a form that secret scanners can recognise. */
export const API_KEY = /^soc_[A-Za-z0-9_-]{43}$/;

/** The stored record of a key, which never contains the key itself. */
export interface ApiKeyRecord {
  /** SHA-256 of the key in lower-case hex. The key has 256 random bits, so no slow hash is needed. */
  readonly digest: string;
  /** Identifies the key to operators; it is not derived from the key. */
  readonly id: string;
  readonly tenant: string;
  readonly name: string | null;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp | null;
  readonly revokedAt: Timestamp | null;
}

export interface ApiKeys {
  find(digest: string): Promise<ApiKeyRecord | null>;
  create(record: ApiKeyRecord): Promise<void>;
  /** Lists the keys of a tenant, or all keys; a slow scan for operators. */
  list(tenant: string | null): Promise<readonly ApiKeyRecord[]>;
  /** A repeated revocation keeps the first time. */
  revoke(digest: string, at: Timestamp): Promise<void>;
  /** Moves the end of the key to an earlier time, never to a later one. */
  endBy(digest: string, end: Timestamp): Promise<void>;
}

export function newApiKey(): string {
  return `soc_${randomBytes(32).toString('base64url')}`;
}

export function hashApiKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

export type KeyState = 'active' | 'expired' | 'revoked';

export function keyState(record: ApiKeyRecord, now: Timestamp): KeyState {
  if (record.revokedAt !== null) return 'revoked';
  return record.expiresAt !== null && record.expiresAt <= now ? 'expired' : 'active';
}

interface KeyHolder {
  readonly tenant: string;
  readonly keyId: string;
}

export type Authentication =
  | (KeyHolder & { readonly kind: 'tenant'; readonly requestsPerMinute: number })
  | (KeyHolder & { readonly kind: 'disabled' })
  /** No valid key matches; the caller learns nothing more. */
  | { readonly kind: 'unknown' };

export interface AuthenticatePorts {
  readonly keys: ApiKeys;
  readonly tenants: Pick<TenantRecords, 'find'>;
  readonly clock: Clock;
}

export async function authenticate(ports: AuthenticatePorts, key: string): Promise<Authentication> {
  if (!API_KEY.test(key)) return { kind: 'unknown' };
  // The key is looked up by its SHA-256, so that timing reveals at most digests, for which nobody can find a key.
  const record = await ports.keys.find(hashApiKey(key));
  if (record === null || keyState(record, timestamp(ports.clock())) !== 'active') {
    return { kind: 'unknown' };
  }
  const { tenant, id: keyId } = record;
  const known = await ports.tenants.find(tenant);
  if (known !== null && known.disabledAt !== null) return { kind: 'disabled', tenant, keyId };
  const { requestsPerMinute } = limitsOf(known);
  return { kind: 'tenant', tenant, keyId, requestsPerMinute };
}
