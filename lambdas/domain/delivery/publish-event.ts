import { type BatchStore, isFinal } from '../batch/batch.ts';
import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import { type BatchFinished, batchFinished } from './batch-finished.ts';
import type { BusOutbox } from './bus-outbox.ts';

/** Port to the bus. */
export interface EventBus {
  /** @throws if the bus has not accepted it */
  put(detail: BatchFinished, at: Timestamp): Promise<void>;
}

export interface PublishEventPorts {
  readonly batches: Pick<BatchStore, 'readBatch'>;
  readonly busOutbox: BusOutbox;
  readonly bus: EventBus;
}

/**
 * Publishes the event of a batch, if it has one that is not published yet. A process that dies in between
 * leaves it unpublished, so the bus may receive it twice.
 */
export async function publishEvent(
  { batches, busOutbox, bus }: PublishEventPorts,
  batchId: BatchId,
): Promise<'published' | 'none'> {
  const event = await busOutbox.readUnpublished(batchId);
  if (event === null) return 'none';
  const batch = await batches.readBatch(batchId);
  // It has expired.
  if (batch === null || !isFinal(batch)) return 'none';
  await bus.put(batchFinished(batch, event.eventId), event.at);
  await busOutbox.markPublished(event);
  return 'published';
}
