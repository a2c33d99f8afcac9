import { createHash, randomBytes } from 'node:crypto';
import type { Timestamp } from '../clock.ts';

/** `soc_` and 32 random bytes as base64url: 256 bits, and a form that secret scanners can know. */
export const API_KEY = /^soc_[A-Za-z0-9_-]{43}$/;

/** What is kept of a key: never the key. */
export interface ApiKeyRecord {
  /** Lower-case hex SHA-256 of the key; with 256 random bits no slower hash is needed. */
  readonly digest: string;
  /** Names the key to operators; says nothing about it. */
  readonly id: string;
  readonly tenant: string;
  readonly name: string | null;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp | null;
  readonly revokedAt: Timestamp | null;
}

/** Port to the keys. */
export interface ApiKeys {
  find(digest: string): Promise<ApiKeyRecord | null>;
  create(record: ApiKeyRecord): Promise<void>;
  /** By tenant, or of every tenant; an operator's command, so it may be slow. */
  list(tenant: string | null): Promise<readonly ApiKeyRecord[]>;
  /** The first revocation's time stays. */
  revoke(digest: string, at: Timestamp): Promise<void>;
  /** Never later than the key would have ended anyway. */
  endBy(digest: string, end: Timestamp): Promise<void>;
}

export function newApiKey(): string {
  return `soc_${randomBytes(32).toString('base64url')}`;
}

export function digestOf(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

export type KeyState = 'active' | 'expired' | 'revoked';

export function keyState(record: ApiKeyRecord, now: Timestamp): KeyState {
  if (record.revokedAt !== null) return 'revoked';
  return record.expiresAt !== null && record.expiresAt <= now ? 'expired' : 'active';
}
