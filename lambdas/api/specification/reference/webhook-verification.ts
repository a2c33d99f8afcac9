import { codeBlock } from './markdown.ts';

export const WEBHOOK_VERIFICATION: readonly string[] = [
  '## Verify a webhook',
  'Choose a secret of the form `whsec_` + base64 of 32 random bytes (`echo whsec_$(openssl rand -base64 32)`), and verify the raw body with a library of [Standard Webhooks](https://www.standardwebhooks.com), for JavaScript, Python, Go, Java and others. The libraries also reject deliveries whose timestamp differs from the current time by more than five minutes, so that a recorded delivery cannot be replayed later. For example:',
  codeBlock(
    'ts',
    `import { Webhook } from "standardwebhooks";

/** Throws unless the service sent the body in the last five minutes. */
export function eventOf(secret: string, body: string, headers: Record<string, string>): unknown {
  return new Webhook(secret).verify(body, headers);
}`,
  ),
  codeBlock(
    'python',
    `from standardwebhooks import Webhook

def event_of(secret: str, body: bytes, headers: dict[str, str]) -> object:
    """Raises unless the service sent the body in the last five minutes."""
    return Webhook(secret).verify(body, headers)`,
  ),
  'The plain header `X-Service-Signature` needs no library and works with any secret. It does not cover the time of the attempt, so a recorded delivery can be replayed: ignore a combination of `batch_id` and `redelivery` that you have already processed. Compare in constant time:',
  codeBlock(
    'ts',
    `import { createHmac, timingSafeEqual } from "node:crypto";

export function isGenuine(secret: string, body: Buffer, signature: string | undefined): boolean {
  if (signature === undefined) return false;
  const expected = createHmac("sha256", secret).update(body).digest();
  const given = Buffer.from(signature, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}`,
  ),
  codeBlock(
    'python',
    `import hashlib, hmac

def is_genuine(secret: str, body: bytes, signature: str | None) -> bool:
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return signature is not None and hmac.compare_digest(expected, signature)`,
  ),
  'To compute the signature by hand, run `openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" body.json`.',
];
