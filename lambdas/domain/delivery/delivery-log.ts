import type { BatchId } from '../identity.ts';
import type { EventName } from './outbox.ts';
import type { DeliveryAttempt } from './outcome.ts';

/** An attempt as the log keeps it: with the id of the body it sent. */
export interface LoggedAttempt extends DeliveryAttempt {
  /** `webhook-id` of the request. */
  readonly eventId: string;
}

/** Port to the delivery log: at most {@link MAX_LOGGED_ATTEMPTS} lines, the first attempt first. */
export interface DeliveryLog {
  attempts(batchId: BatchId, event: EventName): Promise<readonly LoggedAttempt[]>;
}

/** Two digits stand for an attempt in its key. */
export const MAX_LOGGED_ATTEMPTS = 99;
