import type { BatchId } from '../identity.ts';
import type { EventName } from './outbox.ts';
import type { DeliveryAttempt } from './outcome.ts';

/** An attempt in the log, with the id of the event it sent. */
export interface LoggedAttempt extends DeliveryAttempt {
  /** `webhook-id` of the request. */
  readonly eventId: string;
}

/** Port to the delivery log: at most {@link MAX_LOGGED_ATTEMPTS} entries, the first attempt first. */
export interface DeliveryLog {
  attempts(batchId: BatchId, event: EventName): Promise<readonly LoggedAttempt[]>;
}

/** The key has two digits for the attempt. */
export const MAX_LOGGED_ATTEMPTS = 99;
