import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { ScanPage, ScanPosition } from '../reconcile/index-scan.ts';
import type { Transition } from '../transition.ts';

/** Tells the operator's event bus that a batch has finished. The transaction that finishes the batch writes it. */
export interface BusEvent {
  readonly batchId: BatchId;
  /** The id stays the same however often the event is published. */
  readonly eventId: string;
  /** The time at which the batch finished. */
  readonly at: Timestamp;
}

/** Port to the events for the bus. Reads of an event are strongly consistent. */
export interface BusOutbox {
  /** The event is null if it is published, or if the batch has none. */
  readUnpublished(batchId: BatchId): Promise<BusEvent | null>;
  /** unpublished → published */
  markPublished(event: BusEvent): Promise<Transition>;
  /** Events from before that time, after that position: hints from an eventually consistent index. */
  unpublished(before: Timestamp, after: ScanPosition | null): AsyncIterable<ScanPage<BatchId>>;
}
