import type { BatchStore } from '../batch/batch.ts';
import { addSeconds, type Timestamp } from '../clock.ts';
import {
  type DeliveryTimer,
  messageFor,
  type OutboxHint,
  type OutboxStore,
} from '../delivery/outbox.ts';

export interface ReconcileEventPorts {
  readonly batches: Pick<BatchStore, 'readBatch'>;
  readonly outbox: Pick<OutboxStore, 'read' | 'undelivered' | 'remind'>;
  readonly timer: DeliveryTimer;
}

/** How long an event is overdue before its timer counts as lost. */
export const OVERDUE_SECONDS = 120;

/**
 * Queues an overdue event again. Each reminder suppresses the next one for as long as the event is
 * overdue by then. So a lost timer is repaired at once, and an attempt that fails before it is recorded
 * gets a dozen messages in its batch's thirty days, not one per minute.
 */
export async function reconcileEvent(
  { batches, outbox, timer }: ReconcileEventPorts,
  { batchId, event }: OutboxHint,
  now: Timestamp,
): Promise<'scheduled' | 'none'> {
  const due = await outbox.read(batchId, event);
  if (due === null || due.state !== 'due') return 'none';
  const overdueSeconds = (Date.parse(now) - Date.parse(due.next_attempt_at)) / 1000;
  if (overdueSeconds < OVERDUE_SECONDS) return 'none';
  const batch = await batches.readBatch(batchId);
  if (batch === null) return 'none';
  const reminded = await outbox.remind(due, addSeconds(now, overdueSeconds), now);
  if (reminded === 'unchanged') return 'none';
  await timer.schedule(messageFor(due), 0, batch.tenant);
  return 'scheduled';
}
