import type { Batch } from '../batch/batch.ts';
import { type OwnedBatchPorts, readOwnedBatch } from '../batch/owned-batch.ts';
import type { DeliveriesView } from './delivery-schema.ts';
import { type DeliveryLog, type OutboxEvent, type OutboxStore, redeliveriesOf } from './outbox.ts';
import type { LoggedAttempt } from './outcome.ts';

export interface ReadDeliveriesPorts extends OwnedBatchPorts {
  readonly outbox: Pick<OutboxStore, 'read'> & DeliveryLog;
}

export interface DeliveriesReading {
  readonly deliveries: DeliveriesView;
  /** Whether no further attempt is due. */
  readonly settled: boolean;
}

/** @returns null if the tenant has no such batch */
export async function readDeliveries(
  ports: ReadDeliveriesPorts,
  tenant: string,
  batchId: string,
): Promise<DeliveriesReading | null> {
  const batch = await readOwnedBatch(ports, tenant, batchId);
  if (batch === null) return null;
  // Read the event before the log, so that the log has all attempts that the event counts.
  const event = await ports.outbox.read(batch.batch_id, 'batch.completed');
  const attempts =
    event === null ? [] : await ports.outbox.attempts(batch.batch_id, 'batch.completed');
  const settled = event === null ? batch.webhook === null : event.state !== 'due';
  return { deliveries: deliveriesView(batch, event, attempts), settled };
}

/** @param event null while the batch is unfinished, or if it has no webhook */
export function deliveriesView(
  { batch_id: batchId }: Batch,
  event: OutboxEvent | null,
  attempts: readonly LoggedAttempt[],
): DeliveriesView {
  return {
    batch_id: batchId,
    event: 'batch.completed',
    state: event?.state ?? null,
    webhook_id: event?.event_id ?? null,
    redeliveries: event === null ? 0 : redeliveriesOf(event),
    next_attempt_at: event?.state === 'due' ? event.next_attempt_at : null,
    attempts: attempts.map(attemptView),
  };
}

function attemptView(attempt: LoggedAttempt): DeliveriesView['attempts'][number] {
  return {
    attempt: attempt.attempt,
    webhook_id: attempt.event_id,
    started_at: attempt.started_at,
    outcome: attempt.verdict,
    reason: attempt.reason,
    status_code: attempt.status_code,
    duration_ms: attempt.duration_ms,
    body_bytes: attempt.body_bytes,
    next_attempt_at: attempt.retry_at,
  };
}
