import { admit, type Violation } from '../admission/admit.ts';
import { addSeconds, type Clock, timestamp } from '../clock.ts';
import type { WebhookSecrets } from '../delivery/webhook-secrets.ts';
import { type BatchId, newBatchId } from '../identity.ts';
import type { JobRequests } from '../job/job-requests.ts';
import type { Batch, Webhook } from './batch.ts';
import type { BatchOrder, WebhookOrder } from './batch-order.ts';
import type { BatchRunner, BatchStore } from './batch-store.ts';

export interface CreateBatchPorts {
  readonly batches: Pick<BatchStore, 'create'>;
  readonly jobRequests: Pick<JobRequests, 'write'>;
  readonly runner: Pick<BatchRunner, 'start'>;
  readonly webhookSecrets: Pick<WebhookSecrets, 'encrypt'>;
  readonly clock: Clock;
  readonly retentionDays: number;
  /** Told of a start that failed; the batch is there and the reconciler will start it. */
  readonly onStartFailure: (batchId: BatchId, error: unknown) => void;
}

export type Creation =
  | { readonly kind: 'created'; readonly batch: Batch }
  | { readonly kind: 'refused'; readonly violations: readonly Violation[] };

const SECONDS_A_DAY = 24 * 60 * 60;

/**
 * Stores the batch in a number of writes that does not depend on its jobs, then starts it. The
 * text goes first: until the transaction, nothing of the batch is visible to anybody.
 */
export async function createBatch(
  ports: CreateBatchPorts,
  tenant: string,
  order: BatchOrder,
): Promise<Creation> {
  const violations = admit({
    tenant,
    jobs: order.jobs.entries.length,
    metadataBytes: order.metadata === null ? null : Buffer.byteLength(order.metadata, 'utf8'),
  });
  if (violations.length > 0) return { kind: 'refused', violations };

  const now = ports.clock();
  const batchId = newBatchId(now);
  const createdAt = timestamp(now);
  const [webhook] = await Promise.all([
    order.webhook === null ? null : sealed(ports, order.webhook, { tenant, batchId }),
    ports.jobRequests.write(batchId, order.jobs.text, order.jobs.entries),
  ]);
  const batch: Batch = {
    batchId,
    tenant,
    totalJobs: order.jobs.entries.length,
    model: order.model,
    webhook,
    createdAt,
    updatedAt: createdAt,
    resultsExpireAt: addSeconds(createdAt, ports.retentionDays * SECONDS_A_DAY),
    state: { status: 'pending' },
  };
  await ports.batches.create(batch, order.metadata);
  try {
    await ports.runner.start(batchId, batch.totalJobs);
  } catch (error) {
    ports.onStartFailure(batchId, error);
  }
  return { kind: 'created', batch };
}

async function sealed(
  ports: CreateBatchPorts,
  { url, secret, jobs }: WebhookOrder,
  owner: { readonly tenant: string; readonly batchId: BatchId },
): Promise<Webhook> {
  const secretCiphertext =
    secret === null ? null : await ports.webhookSecrets.encrypt(secret, owner);
  return { url, secretCiphertext, jobs };
}
