import * as z from 'zod/mini';
import type { BatchId } from '../../domain/identity.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** `lib/access.ts` repeats the prefixes of partition keys, by which it grants access. */
export const PREFIX = {
  batch: 'BATCH#',
  job: 'JOB#',
  apiKey: 'KEY#',
  tenant: 'TENANT#',
  slot: 'SLOT#',
  waitingTenant: 'WAITING#',
  queue: 'LINE#',
} as const;

/** Returns a schema whose output is the rest of the key. */
export function afterPrefix(prefix: string) {
  return z.pipe(
    z.string().check(z.startsWith(prefix)),
    z.transform((key) => key.slice(prefix.length)),
  );
}

/** Pads to six digits, so that DynamoDB's string order is the numeric order. */
function padIndex(index: number): string {
  return String(index).padStart(6, '0');
}

export const batchPartition = (batchId: BatchId): string => `${PREFIX.batch}${batchId}`;

export const jobPartition = (batchId: BatchId, jobIndex: number): string =>
  `${PREFIX.job}${batchId}#${padIndex(jobIndex)}`;

export const batchKey = (batchId: BatchId): Key => ({ pk: batchPartition(batchId), sk: 'BATCH' });

export const metadataKey = (batchId: BatchId): Key => ({
  pk: batchPartition(batchId),
  sk: 'METADATA',
});

export const retryKey = (batchId: BatchId): Key => ({
  pk: batchPartition(batchId),
  sk: 'RETRY',
});

export const copiesKey = (batchId: BatchId): Key => ({
  pk: batchPartition(batchId),
  sk: 'COPIES',
});

export const jobKey = (batchId: BatchId, jobIndex: number): Key => ({
  pk: batchPartition(batchId),
  sk: `${PREFIX.job}${padIndex(jobIndex)}`,
});

export const planKey = (batchId: BatchId, jobIndex: number): Key => ({
  pk: jobPartition(batchId, jobIndex),
  sk: 'PLAN',
});

export const patchBatchKey = (batchId: BatchId, jobIndex: number, idx: number): Key => ({
  pk: jobPartition(batchId, jobIndex),
  sk: `PATCH#${padIndex(idx)}`,
});

export const outboxKey = (batchId: BatchId, event: string): Key => ({
  pk: batchPartition(batchId),
  sk: `OUTBOX#${event}`,
});

/** Two digits suffice for `MAX_LOGGED_ATTEMPTS`. */
export const deliveryKey = (batchId: BatchId, event: string, attempt: number): Key => ({
  pk: batchPartition(batchId),
  sk: `DELIVERY#${event}#${String(attempt).padStart(2, '0')}`,
});

/** Shards of the sparse indexes, because a partition takes only 1,000 writes per second. */
export const SHARDS = ['0', '1', '2', '3'] as const;

export function shardOf(batchId: BatchId): string {
  return String(Number.parseInt(batchId.slice(-1), 16) % SHARDS.length);
}

const tenantPartition = (tenant: string): string => `${PREFIX.tenant}${tenant}`;

export const tenantKey = (tenant: string): Key => ({ pk: tenantPartition(tenant), sk: 'TENANT' });

/** @param day `YYYY-MM-DD`, UTC */
export const quotaKey = (tenant: string, day: string): Key => ({
  pk: tenantPartition(tenant),
  sk: `QUOTA#${day}`,
});

export const apiKeyKey = (digest: string): Key => ({ pk: `${PREFIX.apiKey}${digest}`, sk: 'KEY' });

/** A separate partition, because the function that tests webhooks may update no other items. */
const requestsPartition = (tenant: string): string => `REQUESTS#${tenant}`;

export const requestPaceKey = (tenant: string): Key => ({
  pk: requestsPartition(tenant),
  sk: 'REQUESTS',
});

/** @param minute `YYYY-MM-DDTHH:MM`, UTC */
export const webhookTestKey = (tenant: string, minute: string): Key => ({
  pk: requestsPartition(tenant),
  sk: `WEBHOOK_TEST#${minute}`,
});

export const idempotencyKey = (tenant: string, key: string): Key => ({
  pk: tenantPartition(tenant),
  sk: `IDEMPOTENCY#${key}`,
});

export const DISPATCH_PARTITION = 'DISPATCH';

export const slotKey = (number: number): Key => ({
  pk: DISPATCH_PARTITION,
  sk: `${PREFIX.slot}${padIndex(number)}`,
});

export const tenantSlotKey = (tenant: string, number: number): Key => ({
  pk: tenantPartition(tenant),
  sk: `${PREFIX.slot}${padIndex(number)}`,
});

export const lastServedKey: Key = { pk: DISPATCH_PARTITION, sk: 'TURN' };

export const waitingTenantKey = (tenant: string): Key => ({
  pk: DISPATCH_PARTITION,
  sk: `${PREFIX.waitingTenant}${tenant}`,
});

/** A separate partition, because functions without access to the queue read the times. */
export const recentTimesKey: Key = { pk: 'TIMES', sk: 'TIMES' };

export const queuePartition = (tenant: string): string => `${PREFIX.queue}${tenant}`;

/** Batch IDs start with their creation time (UUIDv7), so the queue is in order of creation. */
export const queuedBatchKey = (tenant: string, batchId: BatchId): Key => ({
  pk: queuePartition(tenant),
  sk: batchId,
});

export const scanPositionKey = (name: string): Key => ({ pk: 'SWEEPS', sk: `SWEEP#${name}` });
