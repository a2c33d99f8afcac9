import { createHmac } from 'node:crypto';
import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';

export interface SignedMessage {
  readonly body: Uint8Array;
  /** Null if the client gave no secret. */
  readonly secret: string | null;
  readonly eventId: string;
  readonly sentAt: Timestamp;
}

/**
 * Returns the headers that authenticate the sender: the specification's `X-Service-Signature`, and those of Standard
 * Webhooks 1.0.0 (https://www.standardwebhooks.com).
 */
export function signatureHeaders(message: SignedMessage): Readonly<Record<string, string>> {
  const { body, secret, eventId } = message;
  const seconds = String(Math.floor(Date.parse(message.sentAt) / 1000));
  const identity = { 'webhook-id': eventId, 'webhook-timestamp': seconds };
  if (secret === null) return identity;
  return {
    ...identity,
    'X-Service-Signature': serviceSignature(body, secret),
    'webhook-signature': standardSignature(body, secret, eventId, seconds),
  };
}

/** Computes the HMAC-SHA-256 of the body, keyed with the secret's UTF-8 bytes, in lower-case hexadecimal. */
export function serviceSignature(body: Uint8Array, secret: string): string {
  return createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest('hex');
}

function standardSignature(body: Uint8Array, secret: string, id: string, seconds: string): string {
  const hmac = createHmac('sha256', standardKey(secret)).update(`${id}.${seconds}.`).update(body);
  return `v1,${hmac.digest('base64')}`;
}

const STANDARD_SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/**
 * Returns the key for a secret: decoded if it is serialised as in Standard Webhooks, as `whsec_` and base64; otherwise
 * its UTF-8 bytes.
 */
function standardKey(secret: string): Buffer {
  const base64 = STANDARD_SECRET.exec(secret)?.[1];
  return base64 === undefined ? Buffer.from(secret, 'utf8') : Buffer.from(base64, 'base64');
}

/** Only decryption that names the same owner succeeds. */
export interface SecretOwner {
  readonly tenant: string;
  readonly batchId: BatchId;
}

export interface WebhookSecrets {
  /** @returns the ciphertext in base64 */
  encrypt(secret: string, owner: SecretOwner): Promise<string>;
  decrypt(ciphertext: string, owner: SecretOwner): Promise<string>;
}
