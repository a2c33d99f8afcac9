import type { Timestamp } from '../clock.ts';

/** An access key of the IAM user that may only read results. */
export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly createdAt: Timestamp;
}

/** A version of the secret that still carries a label; unlabelled ones are forgotten. */
export interface KeyVersion {
  readonly id: string;
  readonly stages: ReadonlySet<'current' | 'pending' | 'previous'>;
  /** When another version took its place, once that has been noted. */
  readonly replacedAt: Timestamp | null;
}

/** Port to the secret that holds the keys. Its first value is no key. */
export interface KeyVault {
  versions(): Promise<readonly KeyVersion[]>;
  /** Null when the version holds no key: not yet, or not at all. */
  read(versionId: string): Promise<SigningKey | null>;
  /** Stores the key under this version id; storing the same again changes nothing. */
  put(versionId: string, stage: 'current' | 'pending', key: SigningKey): Promise<void>;
  /** Makes a version current that holds no key: readers find none instead of a dead one. */
  clear(): Promise<void>;
  /** Moves `current` from one version to the other; the former becomes `previous`. */
  makeCurrent(versionId: string, formerId: string | null): Promise<void>;
  /** Notes beside the version when it was replaced; the note keeps the version readable. */
  noteReplaced(versionId: string, at: Timestamp): Promise<void>;
  forgetReplaced(versionId: string, at: Timestamp): Promise<void>;
}

/** Port to the user's access keys; IAM allows two. */
export interface KeyIssuer {
  list(): Promise<readonly string[]>;
  create(): Promise<SigningKey>;
  /** Succeeds too when the key is gone. */
  remove(accessKeyId: string): Promise<void>;
}

/** Port that asks the service that will judge the URLs whether it knows a key by now. */
export interface KeyProbe {
  ask(key: SigningKey): Promise<ProbeResult>;
}

export interface ProbeResult {
  readonly accepted: boolean;
  /** The service's own word, for whoever looks into a failed deployment or rotation. */
  readonly code: string;
}

export interface SigningPorts {
  readonly vault: KeyVault;
  readonly issuer: KeyIssuer;
  readonly probe: KeyProbe;
  readonly now: () => Timestamp;
  readonly pause: (seconds: number) => Promise<void>;
}

/** IAM quota: access keys of one user. */
export const KEYS_PER_USER = 2;

/** A URL lives 24 h; the rest is for readers that have cached the key, and for clocks. */
export const REPLACED_KEY_KEPT_SECONDS = 25 * 60 * 60;

/** Thrown when a third key would be needed. The message names no secret. */
export class TwoKeysNeeded extends Error {
  override readonly name = 'TwoKeysNeeded';
}

/** Thrown when a new key is not accepted in time. */
export class KeyNotAccepted extends Error {
  override readonly name = 'KeyNotAccepted';
}
