import {
  type Idempotency,
  idempotencyDigestKey,
  readIdempotencyKey,
  requestDigest,
} from '../../domain/admission/idempotency.ts';
import { Problem } from '../problems/problem.ts';
import type { ApiRequest } from './request.ts';

/**
 * The idempotency key of the request; null without one.
 * @throws Problem 400 for an invalid key
 */
export function idempotencyKeyOf(request: ApiRequest): string | null {
  const header = request.header('idempotency-key');
  if (header === null) return null;
  const key = readIdempotencyKey(header);
  if (key !== null) return key;
  throw new Problem(
    'idempotency-key-invalid',
    `The header Idempotency-Key must be 1 to 255 letters, digits, "-" and "_", bare or in double quotes, and be sent once; got ${JSON.stringify(header.slice(0, 40))}.`,
  );
}

/**
 * @param request with its body decompressed
 * @param secret from which the key of the digest is derived
 */
export async function idempotencyOf(
  { body, header }: ApiRequest,
  key: string,
  secret: () => Promise<Uint8Array>,
): Promise<Idempotency> {
  const digestKey = idempotencyDigestKey(await secret());
  return { key, digest: requestDigest(digestKey, body, header('webhook-secret')) };
}
