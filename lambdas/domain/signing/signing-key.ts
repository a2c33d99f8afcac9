import type { Timestamp } from '../clock.ts';

/** An access key of the IAM user that may only read results. */
export interface SigningKey {
  /** The public part, which each URL contains. */
  readonly keyId: string;
  readonly secret: string;
  readonly createdAt: Timestamp;
}

/** A version of the secret that still has a staging label; Secrets Manager deletes others. */
export interface KeyVersion {
  readonly id: string;
  readonly stages: ReadonlySet<'current' | 'pending' | 'previous'>;
  /** It is null until another version replaced this one and the time is recorded. */
  readonly replacedAt: Timestamp | null;
}

/** Port to the secret that holds the keys. Its initial value is not a key. */
export interface KeyVault {
  versions(): Promise<readonly KeyVersion[]>;
  /** It is null if the version holds no key. */
  read(versionId: string): Promise<SigningKey | null>;
  /** Stores the key under this version id; safe to repeat. */
  put(versionId: string, stage: 'current' | 'pending', key: SigningKey): Promise<void>;
  /** Makes a version without a key current, so that readers find none instead of a dead one. */
  clear(): Promise<void>;
  /** Moves `current` from one version to the other; the former one becomes `previous`. */
  makeCurrent(versionId: string, formerId: string | null): Promise<void>;
  /** Records when the version was replaced; the record keeps the version readable. */
  noteReplaced(versionId: string, at: Timestamp): Promise<void>;
  forgetReplaced(versionId: string, at: Timestamp): Promise<void>;
  /** Ends the rotation that waits to make this version current. */
  dropPending(versionId: string): Promise<void>;
}

/** Port to the user's access keys. */
export interface KeyIssuer {
  list(): Promise<readonly string[]>;
  /** S3 accepts the key within seconds, not immediately. */
  create(): Promise<SigningKey>;
  /** Succeeds also if the key no longer exists. */
  remove(keyId: string): Promise<void>;
}

/** Port that checks whether S3, which will verify the URLs, accepts a key. */
export interface KeyProbe {
  check(key: SigningKey): Promise<ProbeResult>;
}

export interface ProbeResult {
  readonly accepted: boolean;
  /** S3's error code, for troubleshooting a deployment or rotation. */
  readonly code: string;
}

export interface SigningPorts {
  readonly vault: KeyVault;
  readonly issuer: KeyIssuer;
  readonly probe: KeyProbe;
  readonly now: () => Timestamp;
  readonly pause: (seconds: number) => Promise<void>;
}

/** IAM quota: access keys per user. */
export const KEYS_AT_ONCE = 2;

/** A URL is valid for 24 h; the rest covers readers' caches and clock skew. */
export const REPLACED_KEY_KEPT_SECONDS = 25 * 60 * 60;

/** Thrown when a third key would be needed. The message names no secret. */
export class TwoKeysNeeded extends Error {
  override readonly name = 'TwoKeysNeeded';
}

/** Thrown when a new key is not accepted in time. */
export class KeyNotAccepted extends Error {
  override readonly name = 'KeyNotAccepted';
}

/** IAM usually propagates a key within seconds; readers wait longer. */
const SETTLING_SECONDS = 10 * 60;

/** Returns the previous key while the current one is new. */
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
