import type { Violation } from '../../domain/batch/new-batch.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ApiRequest } from './request.ts';

/** RFC 9110, section 5.5, without obs-text: characters that every HTTP library sends unchanged. */
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/**
 * The webhook's secret, from the field of the body or from the header `Webhook-Secret`, for clients
 * whose bodies are logged. The schema validates the field itself.
 */
export function secretOf(
  field: unknown,
  request: ApiRequest,
): { readonly secret: string | null; readonly violations: readonly Violation[] } {
  const header = request.header('webhook-secret');
  if (header === null) {
    return { secret: typeof field === 'string' ? field : null, violations: [] };
  }
  if (!PRINTABLE_ASCII.test(header) || header.length > LIMITS.webhookSecretBytes) {
    return rejected(
      `in the header Webhook-Secret must have 1 to ${LIMITS.webhookSecretBytes} printable ASCII characters`,
    );
  }
  if ((field ?? header) !== header) {
    return rejected('differs between the body and the header Webhook-Secret; send one of them');
  }
  return { secret: header, violations: [] };
}

function rejected(message: string) {
  return { secret: null, violations: [{ pointer: '/webhook_secret', message }] };
}
