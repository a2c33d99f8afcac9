import * as z from 'zod/mini';
import type { Violation } from '../../domain/batch/requested-batch.ts';
import { type ReceiverPolicy, refuseReceiver } from '../../domain/delivery/receiver-policy.ts';
import { LIMITS } from '../../domain/limits.ts';
import { SURROGATE } from '../http/fields.ts';
import type { ApiRequest } from '../http/request.ts';

function isSecret(text: string): boolean {
  const bytes = Buffer.byteLength(text, 'utf8');
  return !SURROGATE.test(text) && bytes >= 1 && bytes <= LIMITS.webhookSecretBytes;
}

const URL_RULE = `must be an absolute URL of at most ${LIMITS.webhookUrlCharacters} characters`;

const SECRET_RULE = `must be a string of 1 to ${LIMITS.webhookSecretBytes} bytes of UTF-8; omit it, or send null, for an unsigned webhook`;

export const webhookUrl = z
  .string({ error: URL_RULE })
  .check(z.maxLength(LIMITS.webhookUrlCharacters, { error: URL_RULE }), z.meta({ format: 'uri' }));

export const webhookSecret = z
  .string({ error: SECRET_RULE })
  .check(
    z.refine(isSecret, { error: SECRET_RULE }),
    z.meta({ minLength: 1, maxLength: LIMITS.webhookSecretBytes }),
  );

/** A secret that the libraries of Standard Webhooks accept. */
export const EXAMPLE_SECRET = 'whsec_replaceThisWith32RandomBytesInBase64';

/** The schema validates the type and length of `webhook_url`. */
export function receiverViolations(url: unknown, policy: ReceiverPolicy): readonly Violation[] {
  if (typeof url !== 'string' || url.length > LIMITS.webhookUrlCharacters) return [];
  const refusal = refuseReceiver(url, policy);
  return refusal === null ? [] : [{ pointer: '/webhook_url', message: `is refused: ${refusal}` }];
}

/**
 * The characters of a field value (RFC 9110, section 5.5) without obs-text, whose encoding depends on the HTTP library.
 */
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** The header `Webhook-Secret` is for clients whose bodies are logged. The schema validates the body's field. */
export function readSecret(
  field: unknown,
  request: ApiRequest,
): { readonly secret: string | null; readonly violations: readonly Violation[] } {
  const header = request.header('webhook-secret');
  if (header === null) {
    return { secret: typeof field === 'string' ? field : null, violations: [] };
  }
  if (!PRINTABLE_ASCII.test(header) || header.length > LIMITS.webhookSecretBytes) {
    return rejectedSecret(
      `in the header Webhook-Secret must have 1 to ${LIMITS.webhookSecretBytes} printable ASCII characters; omit the header to send no secret`,
    );
  }
  if ((field ?? header) !== header) {
    return rejectedSecret(
      'differs between the body and the header Webhook-Secret; send one of them',
    );
  }
  return { secret: header, violations: [] };
}

function rejectedSecret(message: string) {
  return { secret: null, violations: [{ pointer: '/webhook_secret', message }] };
}
