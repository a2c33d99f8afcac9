import * as z from 'zod/mini';
import type { Batch, BatchState } from '../../domain/batch/batch.ts';
import { shardOf } from './item-keys.ts';
import type { Item } from './table.ts';

const batchItem = z.intersection(
  z.object({
    batch_id: z.string(),
    tenant: z.string(),
    name: z.optional(z.string()),
    total_jobs: z.int(),
    model: z.nullable(z.string()),
    webhook: z.nullable(
      z.object({
        url: z.string(),
        secret_ciphertext: z.nullable(z.string()),
        sealed_for: z.optional(z.string()),
        jobs: z.enum(['full', 'none']),
      }),
    ),
    hectares_per_job: z.int(),
    created_at: z.string(),
    updated_at: z.string(),
    results_expire_at: z.string(),
    started_at: z.nullable(z.string()),
    cancel_requested_at: z.optional(z.string()),
    retry_of: z.optional(z.string()),
    restarts: z.optional(z.int()),
    slot: z.optional(z.int()),
    tenant_slot: z.optional(z.int()),
    slot_claimed_at: z.optional(z.string()),
  }),
  z.discriminatedUnion('status', [
    z.object({ status: z.literal('pending') }),
    z.object({ status: z.literal('processing'), started_at: z.string() }),
    z.object({
      status: z.enum(['completed', 'failed', 'partial']),
      completed_at: z.string(),
      completed_jobs: z.int(),
    }),
  ]),
);

type BatchItem = z.infer<typeof batchItem>;

/** The attributes of a batch, without its key and expiry. */
export function toItem(batch: Batch): Item {
  const { webhook, state } = batch;
  const final = 'completedAt' in state;
  return {
    batch_id: batch.batchId,
    tenant: batch.tenant,
    ...(batch.name === undefined ? {} : { name: batch.name }),
    total_jobs: batch.totalJobs,
    model: batch.model,
    webhook:
      webhook === null
        ? null
        : {
            url: webhook.url,
            secret_ciphertext: webhook.secretCiphertext,
            jobs: webhook.jobs,
            ...(webhook.sealedFor === undefined ? {} : { sealed_for: webhook.sealedFor }),
          },
    hectares_per_job: batch.hectaresPerJob,
    created_at: batch.createdAt,
    updated_at: batch.updatedAt,
    results_expire_at: batch.resultsExpireAt,
    status: state.status,
    ...(batch.retryOf === undefined ? {} : { retry_of: batch.retryOf }),
    started_at: 'startedAt' in state ? state.startedAt : null,
    ...(final
      ? { completed_at: state.completedAt, completed_jobs: state.completedJobs }
      : { unfinished_shard: shardOf(batch.batchId) }),
  };
}

/** @throws ZodError if the item is no batch */
export function fromItem(raw: Item): Batch {
  const item = batchItem.parse(raw);
  return {
    batchId: item.batch_id,
    tenant: item.tenant,
    ...(item.name === undefined ? {} : { name: item.name }),
    totalJobs: item.total_jobs,
    model: item.model,
    webhook:
      item.webhook === null
        ? null
        : {
            url: item.webhook.url,
            secretCiphertext: item.webhook.secret_ciphertext,
            jobs: item.webhook.jobs,
            ...(item.webhook.sealed_for === undefined
              ? {}
              : { sealedFor: item.webhook.sealed_for }),
          },
    hectaresPerJob: item.hectares_per_job,
    createdAt: item.created_at,
    updatedAt: item.updated_at,
    resultsExpireAt: item.results_expire_at,
    state: stateOf(item),
    ...(item.cancel_requested_at === undefined
      ? {}
      : { cancelRequestedAt: item.cancel_requested_at }),
    ...(item.retry_of === undefined ? {} : { retryOf: item.retry_of }),
    ...(item.restarts === undefined ? {} : { restarts: item.restarts }),
    ...(item.slot === undefined || item.tenant_slot === undefined
      ? {}
      : { slot: { ofAll: item.slot, ofTenant: item.tenant_slot } }),
    ...(item.slot_claimed_at === undefined ? {} : { slotClaimedAt: item.slot_claimed_at }),
  };
}

function stateOf(item: BatchItem): BatchState {
  switch (item.status) {
    case 'pending':
      return { status: 'pending' };
    case 'processing':
      return { status: 'processing', startedAt: item.started_at };
    default:
      return {
        status: item.status,
        startedAt: item.started_at,
        completedAt: item.completed_at,
        completedJobs: item.completed_jobs,
      };
  }
}
