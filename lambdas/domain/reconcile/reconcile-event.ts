import type { BatchStore } from '../batch/batch.ts';
import { addSeconds, type Timestamp } from '../clock.ts';
import {
  type DeliveryQueue,
  messageFor,
  type OutboxHint,
  type OutboxStore,
} from '../delivery/outbox.ts';

export interface ReconcileEventPorts {
  readonly batches: Pick<BatchStore, 'readBatch'>;
  readonly outbox: Pick<OutboxStore, 'read' | 'undelivered' | 'claimRequeue'>;
  readonly deliveryQueue: DeliveryQueue;
}

/** The message of an event that is overdue for this long counts as lost. */
export const OVERDUE_SECONDS = 120;

/**
 * Queues an overdue event again. The wait before the next requeue is as long as the event is overdue, so the waits
 * double.
 */
export async function reconcileEvent(
  { batches, outbox, deliveryQueue }: ReconcileEventPorts,
  { batchId, event }: OutboxHint,
  now: Timestamp,
): Promise<'scheduled' | 'none'> {
  const due = await outbox.read(batchId, event);
  if (due === null || due.state !== 'due') return 'none';
  const overdueSeconds = (Date.parse(now) - Date.parse(due.next_attempt_at)) / 1000;
  if (overdueSeconds < OVERDUE_SECONDS) return 'none';
  const batch = await batches.readBatch(batchId);
  if (batch === null) return 'none';
  const claimed = await outbox.claimRequeue(due, addSeconds(now, overdueSeconds), now);
  if (claimed === 'unchanged') return 'none';
  await deliveryQueue.enqueue(messageFor(due), 0, batch.tenant);
  return 'scheduled';
}
