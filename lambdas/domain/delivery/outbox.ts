import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';

/** The one event of the specification. */
export type EventName = 'batch.completed';

/** Written in the same transaction as the batch's final state; the truth about its delivery. */
export interface OutboxEvent {
  readonly batchId: BatchId;
  readonly event: EventName;
  /** The same for every attempt: `webhook-id` of Standard Webhooks. */
  readonly eventId: string;
  readonly state: 'due' | 'acknowledged' | 'permanent' | 'exhausted';
  /** Attempts that have ended. */
  readonly attempts: number;
  readonly nextAttemptAt: Timestamp;
}

/** Port that asks for a delivery attempt after a delay: a timer, never the truth. */
export interface DeliveryTimer {
  schedule(message: DeliveryMessage, delaySeconds: number): Promise<void>;
}

export interface DeliveryMessage {
  readonly batch_id: BatchId;
  readonly event: EventName;
}
