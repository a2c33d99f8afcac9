import { checkResponse } from '../http/check-response.ts';
import { parseJson } from '../http/json.ts';
import { invalidInputError, SoilError } from '../http/soil-error.ts';
import type { BatchCompleted } from '../schemas.ts';

/** Standard Webhooks recommends five minutes. */
const DEFAULT_TOLERANCE_SECONDS = 300;

/** Request headers as in Node, Express or API Gateway, or as `Headers`. */
export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How many seconds the attempt's timestamp may differ from the current time; 300 by default. */
  readonly toleranceSeconds?: number;
  /** The current time in milliseconds; set it only in tests. */
  readonly now?: number;
}

/**
 * Verifies a webhook over the raw bytes of its body, in constant time. It checks `X-Service-Signature` and the
 * headers of Standard Webhooks, whose timestamp prevents a recorded delivery from being replayed later. The
 * same event may arrive more than once: deduplicate by `batch_id` and `redelivery`. Respond with 400 only to
 * `signature`, and with 500 to the other errors, so that the webhook is retried.
 * @returns the event
 * @throws SoilError `signature` if a header is missing or does not match; `timestamp` if the attempt is too old
 * or this machine's clock is wrong; `not-the-service` if the event does not match this client's types;
 * `invalid-input` if the secret is empty
 */
export async function verifyWebhook(
  rawBody: Uint8Array | ArrayBuffer | string,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions = {},
): Promise<BatchCompleted> {
  if (secret === '') throw invalidInputError('secret must not be empty');
  const body = toBytes(rawBody);
  const header = (name: string) => requireHeader(headers, name);

  const signature = decodeHex(header('x-service-signature'));
  if (!(await isSigned(encodeUtf8(secret), body, signature)))
    throw forgedError('X-Service-Signature');

  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp))
    throw forgedError('webhook-timestamp', 'is not in Unix seconds');
  const message = joinBytes(encodeUtf8(`${id}.${timestamp}.`), body);
  if (!(await isSignedByOne(decodeStandardKey(secret), message, header('webhook-signature')))) {
    throw forgedError('webhook-signature');
  }
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new SoilError(
      `The webhook's signature is valid, but its timestamp differs from this machine's clock by more than ${toleranceSeconds} s.`,
      { type: 'timestamp' },
    );
  }
  const event = parseJson(new TextDecoder().decode(body));
  return checkResponse("The webhook's signature is valid, but its event", 'BatchCompleted', event);
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const values = headers instanceof Headers ? [headers.get(name)] : listHeaderValues(headers, name);
  const [value] = values;
  if (values.length === 1 && typeof value === 'string' && value !== '') return value;
  throw new SoilError(`The webhook must have the header ${name} exactly once.`, {
    type: 'signature',
  });
}

function listHeaderValues(
  headers: Exclude<WebhookHeaders, Headers>,
  name: string,
): readonly (string | undefined)[] {
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value);
}

/** `webhook-signature` is a list, because keys may be rotated. Versions other than `v1` are ignored. */
async function isSignedByOne(
  key: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
  list: string,
): Promise<boolean> {
  const signatures = list.split(' ').filter((one) => one.startsWith('v1,'));
  const results = await Promise.all(
    signatures.map((one) => isSigned(key, message, decodeBase64(one.slice('v1,'.length)))),
  );
  return results.includes(true);
}

/** WebCrypto compares in constant time. */
async function isSigned(
  key: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer> | null,
): Promise<boolean> {
  if (signature === null) return false;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify']);
  return crypto.subtle.verify('HMAC', imported, signature, message);
}

const STANDARD_SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** Standard Webhooks writes a key as `whsec_` and base64; any other secret is used unchanged. */
function decodeStandardKey(secret: string): Uint8Array<ArrayBuffer> {
  const base64 = STANDARD_SECRET.exec(secret)?.[1];
  return (base64 === undefined ? null : decodeBase64(base64)) ?? encodeUtf8(secret);
}

function decodeHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function toBytes(body: Uint8Array | ArrayBuffer | string): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return encodeUtf8(body);
  return new Uint8Array(body);
}

function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function forgedError(header: string, fault = 'does not match its body and your secret'): SoilError {
  return new SoilError(`The webhook's header ${header} ${fault}.`, { type: 'signature' });
}
