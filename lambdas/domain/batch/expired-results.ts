import { type Clock, SECONDS_PER_DAY, type Timestamp, timestamp } from '../clock.ts';
import { createdAtOf, isBatchId } from '../identity.ts';

export interface RetentionPorts {
  readonly clock: Clock;
  readonly retentionDays: number;
}

/**
 * When the results of a batch expired that no longer exists, or null if they would not have expired yet.
 * Derived from the id alone, since the batch's item is deleted: of two ids of the same time, a foreign and
 * an unknown one, neither tells anything about its batch.
 */
export function resultsExpiredAt(
  { clock, retentionDays }: RetentionPorts,
  batchId: string,
): Timestamp | null {
  if (!isBatchId(batchId)) return null;
  const expiry = createdAtOf(batchId).getTime() + retentionDays * SECONDS_PER_DAY * 1_000;
  return expiry <= clock().getTime() ? timestamp(new Date(expiry)) : null;
}
