import { createHmac, hkdfSync } from 'node:crypto';
import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';

/** For this long, a repeated creation returns the batch of the first creation. */
export const IDEMPOTENCY_HOURS = 24;

export interface Idempotency {
  readonly key: string;
  /** The {@link requestDigest}. A request with the same key and another digest is not a repeat. */
  readonly digest: string;
}

export interface KnownCreation {
  readonly digest: string;
  readonly batchId: BatchId;
  readonly createdAt: Timestamp;
}

/**
 * Port to the idempotency keys. Reads are strongly consistent and return no key older than {@link
 * IDEMPOTENCY_HOURS}.
 */
export interface IdempotencyKeys {
  find(tenant: string, key: string): Promise<KnownCreation | null>;
}

const KEY = /^[A-Za-z0-9_-]{1,255}$/;
const QUOTED = /^"(.*)"$/;

/**
 * Parses the header `Idempotency-Key`: bare, or as the quoted string of the IETF draft
 * (draft-ietf-httpapi-idempotency-key-header-07, section 2.1).
 * @returns null if the header has neither form
 */
export function readIdempotencyKey(header: string): string | null {
  const text = header.trim();
  const key = QUOTED.exec(text)?.[1] ?? text;
  return KEY.test(key) ? key : null;
}

/** Derives the digest key from the secret that signs cursors (RFC 5869), so that no digest is a valid cursor. */
export function idempotencyDigestKey(secret: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'idempotency digest', 32));
}

/**
 * Computes an HMAC over the body and the secret from the header. With a plain hash, a reader of the table could test
 * guesses of the webhook secret.
 */
export function requestDigest(
  key: Uint8Array,
  body: Uint8Array,
  secretHeader: string | null,
): string {
  const hmac = createHmac('sha256', key);
  // The length comes first, so that the digest depends on where the body ends and the header begins.
  hmac.update(`${body.byteLength}:`).update(body);
  hmac.update(secretHeader === null ? '-' : `+${secretHeader}`);
  return hmac.digest('hex');
}
