import { type Clock, SECONDS_PER_DAY, type Timestamp, timestamp } from '../clock.ts';
import { createdAtOf, findJobIndex, isBatchId } from '../identity.ts';
import type { Batch, BatchStore } from './batch.ts';

export interface OwnedBatchPorts {
  readonly batches: Pick<BatchStore, 'readBatch'>;
  readonly clock: Clock;
}

/**
 * Reads the tenant's batch. Returns null for an invalid ID, an unknown batch, another tenant's batch and an expired
 * one, so that the caller cannot distinguish them.
 */
export async function readOwnedBatch(
  ports: OwnedBatchPorts,
  tenant: string,
  batchId: string,
): Promise<Batch | null> {
  if (!isBatchId(batchId)) return null;
  const batch = await ports.batches.readBatch(batchId);
  return batch !== null && isVisible(batch, tenant, ports.clock) ? batch : null;
}

export function isVisible(batch: Batch, tenant: string, clock: Clock): boolean {
  return batch.tenant === tenant && batch.results_expire_at > timestamp(clock());
}

type JobLookup =
  | { readonly kind: 'batch-unknown' }
  | { readonly kind: 'job-unknown' }
  | { readonly kind: 'found'; readonly batch: Batch; readonly jobIndex: number };

/** Finds the tenant's job without reading its item. */
export async function findOwnedJob(
  ports: OwnedBatchPorts,
  tenant: string,
  batchId: string,
  jobId: string,
): Promise<JobLookup> {
  const batch = await readOwnedBatch(ports, tenant, batchId);
  if (batch === null) return { kind: 'batch-unknown' };
  const jobIndex = findJobIndex(batch.batch_id, jobId, batch.total_jobs);
  return jobIndex === null ? { kind: 'job-unknown' } : { kind: 'found', batch, jobIndex };
}

export interface RetentionPorts {
  readonly clock: Clock;
  readonly retentionDays: number;
}

/**
 * Returns when the results of a batch without an item expired; null if they would not have expired yet, or if the ID is
 * invalid. The time follows from the ID alone, so an unknown ID and the ID of another tenant's batch give the same
 * answer.
 */
export function resultsExpiredAt(
  { clock, retentionDays }: RetentionPorts,
  batchId: string,
): Timestamp | null {
  if (!isBatchId(batchId)) return null;
  const expiry = createdAtOf(batchId).getTime() + retentionDays * SECONDS_PER_DAY * 1_000;
  return expiry <= clock().getTime() ? timestamp(new Date(expiry)) : null;
}
