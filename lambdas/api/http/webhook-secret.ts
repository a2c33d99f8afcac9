import type { Violation } from '../../domain/admission/admit.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ApiRequest } from './request.ts';

/** RFC 9110 section 5.5 without obs-text: what every HTTP library sends unchanged. */
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/**
 * The webhook's secret, from the body's member or from the header `Webhook-Secret`, for callers
 * whose bodies are logged. The member's own form is the schema's to judge.
 */
export function secretOf(
  member: unknown,
  request: ApiRequest,
): { readonly secret: string | null; readonly violations: readonly Violation[] } {
  const header = request.header('webhook-secret');
  if (header === null) {
    return { secret: typeof member === 'string' ? member : null, violations: [] };
  }
  if (!PRINTABLE_ASCII.test(header) || header.length > LIMITS.webhookSecretBytes) {
    return refused(
      `in the header Webhook-Secret must be 1 to ${LIMITS.webhookSecretBytes} characters of printable ASCII`,
    );
  }
  if (member !== undefined && member !== header) {
    return refused(
      'came in the body and, with another value, in the header Webhook-Secret; send one of them',
    );
  }
  return { secret: header, violations: [] };
}

function refused(message: string) {
  return { secret: null, violations: [{ pointer: '/webhook_secret', message }] };
}
