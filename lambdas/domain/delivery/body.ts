import { stringifyFields } from '#engine/json/raw-json.ts';
import type { Batch, BatchStore } from '../batch/batch.ts';
import { webhookView } from '../batch/batch-view.ts';
import type { BatchId } from '../identity.ts';
import type { JobStore } from '../job/job.ts';
import { type JobView, type JobViewsPorts, readJobViews } from '../job/reading/job-view.ts';
import type { OutboxEvent } from './outbox.ts';

/** Port to an event's body, which is the same for all attempts. */
export interface DeliveryBodies {
  read(batchId: BatchId, eventId: string): Promise<Uint8Array | null>;
  /** Stores the body unless one is stored already. @returns the stored body */
  keep(batchId: BatchId, eventId: string, body: Uint8Array): Promise<Uint8Array>;
}

export interface DeliveryBodyPorts extends JobViewsPorts {
  readonly batches: Pick<BatchStore, 'readBatch' | 'readMetadata'>;
  readonly jobs: JobStore;
  readonly bodies: DeliveryBodies;
}

/**
 * Returns the body that every attempt sends. It is built for the first attempt, from final items and from signed URLs
 * that outlive the schedule. If two bodies are built concurrently, the one stored first is used.
 * @throws SigningKeyUnavailable
 */
export async function readOrWriteBody(
  ports: DeliveryBodyPorts,
  batch: Batch,
  event: OutboxEvent,
): Promise<Uint8Array> {
  const stored = await ports.bodies.read(batch.batch_id, event.event_id);
  if (stored !== null) return stored;
  const [jobs, metadata] = await Promise.all([
    batch.webhook?.jobs === 'none' ? ('omitted' as const) : readAllJobs(ports, batch),
    ports.batches.readMetadata(batch.batch_id),
  ]);
  const { redelivery } = event;
  const text = stringifyFields({
    ...webhookView(batch, metadata, jobs),
    ...(redelivery === undefined ? {} : { redelivery: redelivery.number }),
  });
  return ports.bodies.keep(batch.batch_id, event.event_id, Buffer.from(text, 'utf8'));
}

async function readAllJobs(ports: DeliveryBodyPorts, batch: Batch): Promise<readonly JobView[]> {
  const records = await ports.jobs.list(batch.batch_id);
  const indexes = Array.from({ length: batch.total_jobs }, (_, index) => index);
  return readJobViews(ports, batch, records, indexes);
}
