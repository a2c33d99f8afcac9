import { type BatchStore, isFinal } from '../batch/batch.ts';
import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import { type BatchFinished, batchFinished } from './batch-finished.ts';
import type { BusOutbox } from './bus-outbox.ts';

export interface EventBus {
  /** @throws if the bus did not accept the event */
  put(detail: BatchFinished, at: Timestamp): Promise<void>;
}

export interface PublishEventPorts {
  readonly batches: Pick<BatchStore, 'readBatch'>;
  readonly busOutbox: BusOutbox;
  readonly bus: EventBus;
}

/**
 * Publishes a batch's event, if it has one that is not published yet. If the process dies between publishing and
 * recording, the bus receives the event again.
 */
export async function publishEvent(
  { batches, busOutbox, bus }: PublishEventPorts,
  batchId: BatchId,
): Promise<'published' | 'none'> {
  const event = await busOutbox.readUnpublished(batchId);
  if (event === null) return 'none';
  const batch = await batches.readBatch(batchId);
  // A batch without an item has expired.
  if (batch === null || !isFinal(batch)) return 'none';
  await bus.put(batchFinished(batch, event.eventId), event.at);
  await busOutbox.markPublished(event);
  return 'published';
}
