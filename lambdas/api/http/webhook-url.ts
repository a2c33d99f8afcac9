import type { Violation } from '../../domain/admission/admit.ts';
import { type ReceiverPolicy, refuseReceiver } from '../../domain/delivery/receiver-policy.ts';
import { LIMITS } from '../../domain/limits.ts';

/** Why the member `webhook_url` names no receiver; its type and length are the schema's to judge. */
export function receiverViolations(url: unknown, policy: ReceiverPolicy): readonly Violation[] {
  if (typeof url !== 'string' || url.length > LIMITS.webhookUrlCharacters) return [];
  const refusal = refuseReceiver(url, policy);
  return refusal === null ? [] : [{ pointer: '/webhook_url', message: `is refused: ${refusal}` }];
}
