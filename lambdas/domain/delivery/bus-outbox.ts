import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { ScanPage, ScanPosition } from '../reconcile/index-scan.ts';
import type { Transition } from '../transition.ts';

/** Tells the operator's bus that a batch has finished. The transaction that finishes the batch writes the event. */
export interface BusEvent {
  readonly batchId: BatchId;
  /** Stays the same however often the event is published. */
  readonly eventId: string;
  readonly at: Timestamp;
}

/** Port to the events for the bus. Reads of an event are strongly consistent. */
export interface BusOutbox {
  /** Reads the batch's event; null if it is published or the batch has none. */
  readUnpublished(batchId: BatchId): Promise<BusEvent | null>;
  markPublished(event: BusEvent): Promise<Transition>;
  /**
   * Lists events from before that time, starting after the given position. The IDs are hints from an eventually
   * consistent index.
   */
  unpublished(before: Timestamp, after: ScanPosition | null): AsyncIterable<ScanPage<BatchId>>;
}
