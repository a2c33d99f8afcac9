import type { Violation } from '../../domain/batch/new-batch.ts';
import { type ReceiverPolicy, refuseReceiver } from '../../domain/delivery/receiver-policy.ts';
import { LIMITS } from '../../domain/limits.ts';

/** Why the policy refuses `webhook_url`. The schema validates its type and length. */
export function receiverViolations(url: unknown, policy: ReceiverPolicy): readonly Violation[] {
  if (typeof url !== 'string' || url.length > LIMITS.webhookUrlCharacters) return [];
  const refusal = refuseReceiver(url, policy);
  return refusal === null ? [] : [{ pointer: '/webhook_url', message: `is refused: ${refusal}` }];
}
