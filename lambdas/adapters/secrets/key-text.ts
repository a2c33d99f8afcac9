import * as z from 'zod/mini';
import type { SigningKey } from '../../domain/signing/signing-key.ts';

const keyText = z.object({
  access_key_id: z.string().check(z.minLength(16)),
  secret_access_key: z.string().check(z.minLength(1)),
  created_at: z.iso.datetime(),
});

/** The secret's value. */
export function writeKey(key: SigningKey): string {
  const value: z.infer<typeof keyText> = {
    access_key_id: key.accessKeyId,
    secret_access_key: key.secretAccessKey,
    created_at: key.createdAt,
  };
  return JSON.stringify(value);
}

/** Null for the initial value of the secret, or any other that is no key. */
export function readKey(text: string | undefined): SigningKey | null {
  const parsed = keyText.safeParse(jsonOrNull(text));
  if (!parsed.success) return null;
  const { access_key_id, secret_access_key, created_at } = parsed.data;
  return {
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    createdAt: created_at,
  };
}

function jsonOrNull(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}
