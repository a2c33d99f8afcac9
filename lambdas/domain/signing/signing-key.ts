import type { Timestamp } from '../clock.ts';

/** An access key of the IAM user that may only read results. */
export interface SigningKey {
  /** Every signed URL contains it. */
  readonly keyId: string;
  readonly secret: string;
  readonly createdAt: Timestamp;
}

/** A version of the secret that still has a staging label; Secrets Manager deletes the others. */
export interface KeyVersion {
  readonly id: string;
  readonly stages: ReadonlySet<'current' | 'pending' | 'previous'>;
  /** Null until another version has replaced this one and the time is recorded. */
  readonly replacedAt: Timestamp | null;
}

export interface KeyVault {
  versions(): Promise<readonly KeyVersion[]>;
  /** Reads the key of a version; null if the version holds none. */
  read(versionId: string): Promise<SigningKey | null>;
  /** Stores the key under this version ID; safe to repeat. */
  put(versionId: string, stage: 'current' | 'pending', key: SigningKey): Promise<void>;
  /** Makes a version without a key current, so that readers find none instead of a dead one. */
  clear(): Promise<void>;
  /** Moves `current` to this version from the former version, which becomes `previous`. */
  makeCurrent(versionId: string, formerId: string | null): Promise<void>;
  /** Records when the version was replaced. The record keeps the version readable. */
  noteReplaced(versionId: string, at: Timestamp): Promise<void>;
  forgetReplaced(versionId: string, at: Timestamp): Promise<void>;
  /** Ends the rotation that waits to make this version current. */
  dropPending(versionId: string): Promise<void>;
}

export interface KeyIssuer {
  list(): Promise<readonly string[]>;
  /** Creates a key, which S3 accepts within seconds but not immediately. */
  create(): Promise<SigningKey>;
  /** Succeeds even if the key no longer exists. */
  remove(keyId: string): Promise<void>;
}

/** Port that checks whether S3, which will verify the URLs, accepts a key. */
export interface KeyProbe {
  check(key: SigningKey): Promise<ProbeResult>;
}

export interface ProbeResult {
  readonly accepted: boolean;
  readonly code: string;
}

export interface SigningPorts {
  readonly vault: KeyVault;
  readonly issuer: KeyIssuer;
  readonly probe: KeyProbe;
  readonly now: () => Timestamp;
  readonly pause: (seconds: number) => Promise<void>;
}

/** IAM quota for access keys per user. */
export const MAX_KEYS = 2;

/** A URL is valid for 24 h; the rest covers readers' caches and clock skew. */
export const REPLACED_KEY_KEPT_SECONDS = 25 * 60 * 60;

/** Thrown when a third key would be needed. */
export class TwoKeysNeeded extends Error {
  override readonly name = 'TwoKeysNeeded';
}

/** Thrown when S3 does not accept a new key in time. */
export class KeyNotAccepted extends Error {
  override readonly name = 'KeyNotAccepted';
}

/** IAM usually propagates a key within seconds; readers wait longer. */
const SETTLING_SECONDS = 10 * 60;

/** Returns the current key or, while it is new, the previous one if there is one. */
export function chooseKey(
  current: SigningKey,
  previous: SigningKey | null,
  now: Timestamp,
): SigningKey {
  if (previous === null) return current;
  return isSettled(current, now) ? current : previous;
}

export function isSettled(key: SigningKey, now: Timestamp): boolean {
  return Date.parse(now) - Date.parse(key.createdAt) >= SETTLING_SECONDS * 1000;
}
