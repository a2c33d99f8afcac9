import { createHmac, hkdfSync } from 'node:crypto';
import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';

/** How long a repeated creation is answered with the first one's batch. */
export const IDEMPOTENCY_HOURS = 24;

/** A creation that its sender may send again. */
export interface Idempotency {
  readonly key: string;
  /** Of everything that makes two requests the same; see {@link requestDigest}. */
  readonly digest: string;
}

/** The creation that a key stands for. */
export interface KnownCreation {
  readonly digest: string;
  readonly batchId: BatchId;
  readonly createdAt: Timestamp;
}

/** Port to the keys in use; read consistently, and none after its {@link IDEMPOTENCY_HOURS}. */
export interface IdempotencyKeys {
  find(tenant: string, key: string): Promise<KnownCreation | null>;
}

const KEY = /^[A-Za-z0-9_-]{1,255}$/;
const QUOTED = /^"(.*)"$/;

/**
 * The key in a header `Idempotency-Key`, bare or as the quoted string of the IETF draft
 * (draft-ietf-httpapi-idempotency-key-header-07, section 2.1).
 * @returns null when it is neither
 */
export function readIdempotencyKey(header: string): string | null {
  const text = header.trim();
  const key = QUOTED.exec(text)?.[1] ?? text;
  return KEY.test(key) ? key : null;
}

/** One secret, one key for each purpose (RFC 5869): a digest here can't be passed off as a cursor. */
export function idempotencyDigestKey(secret: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'idempotency digest', 32));
}

/**
 * An HMAC over the body's bytes and the secret that came in a header: keyed, because what is stored
 * would otherwise let a reader of the table try guesses of a webhook's secret.
 */
export function requestDigest(
  key: Uint8Array,
  body: Uint8Array,
  secretHeader: string | null,
): string {
  const hmac = createHmac('sha256', key);
  // The length first: no other split of the same bytes gives the same digest.
  hmac.update(`${body.byteLength}:`).update(body);
  hmac.update(secretHeader === null ? '-' : `+${secretHeader}`);
  return hmac.digest('hex');
}
