import type { BatchId } from '../identity.ts';
import { type DeliveryTimer, messageFor, type OutboxEvent } from './outbox.ts';

export interface RequestAttemptPorts {
  readonly timer: DeliveryTimer;
  /** Called when the message could not be queued; the reconciler queues it later. */
  readonly onAttemptNotQueued: (batchId: BatchId, error: unknown) => void;
}

/** Queues an attempt at once. Best effort and safe to repeat: only the outbox item decides what is sent. */
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
