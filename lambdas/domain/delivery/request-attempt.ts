import type { BatchId } from '../identity.ts';
import { type DeliveryTimer, messageFor, type OutboxEvent } from './outbox.ts';

export interface RequestAttemptPorts {
  readonly timer: DeliveryTimer;
  /** Called for an attempt that the queue did not take; the reconciler will ask again. */
  readonly onAttemptNotQueued: (batchId: BatchId, error: unknown) => void;
}

/** At once; best effort, and harmless when repeated: the outbox item alone decides what is sent. */
export async function requestAttempt(
  { timer, onAttemptNotQueued }: RequestAttemptPorts,
  event: OutboxEvent,
  tenant: string,
): Promise<'asked' | 'left-to-reconciler'> {
  try {
    await timer.schedule(messageFor(event), 0, tenant);
    return 'asked';
  } catch (error) {
    onAttemptNotQueued(event.batchId, error);
    return 'left-to-reconciler';
  }
}
