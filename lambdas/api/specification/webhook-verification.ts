import type { Block } from './blocks.ts';

/** How a receiver verifies a delivery; see the header `X-Service-Signature`. */
export const WEBHOOK_VERIFICATION: readonly Block[] = [
  { kind: 'heading', level: 2, text: 'Verify a webhook' },
  { kind: 'text', text: 'Verify the raw bytes, before you parse them, in constant time:' },
  {
    kind: 'code',
    language: 'ts',
    text: `import { createHmac, timingSafeEqual } from 'node:crypto';

function isGenuine(secret: string, body: Buffer, signature: string | undefined): boolean {
  if (signature === undefined) return false;
  const expected = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}`,
  },
  {
    kind: 'code',
    language: 'python',
    text: `import hashlib, hmac

def is_genuine(secret: str, body: bytes, signature: str | None) -> bool:
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return signature is not None and hmac.compare_digest(expected, signature)`,
  },
  { kind: 'text', text: 'By hand: `openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" body.json`.' },
];
