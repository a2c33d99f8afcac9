import type { IdempotencyKeys } from '../../lambdas/domain/admission/idempotency.ts';
import type { Quotas } from '../../lambdas/domain/admission/quota.ts';
import {
  type Batch,
  type BatchIndex,
  type BatchPosition,
  type BatchState,
  type BatchStore,
  isFinal,
} from '../../lambdas/domain/batch/batch.ts';
import type { Clock } from '../../lambdas/domain/clock.ts';
import type { BusOutbox } from '../../lambdas/domain/delivery/bus-outbox.ts';
import type { OutboxEvent } from '../../lambdas/domain/delivery/outbox.ts';
import type { BatchQueue } from '../../lambdas/domain/dispatch/batch-queue.ts';
import type { Slots } from '../../lambdas/domain/dispatch/slots.ts';
import type { JobStore } from '../../lambdas/domain/job/job.ts';
import type { PatchBatchStore } from '../../lambdas/domain/patch-batch/patch-batch.ts';
import { TransientFailure } from '../../lambdas/domain/step-failure.ts';
import { inMemoryBusOutbox } from './bus-outbox.ts';
import { chargeQuota, inMemoryCharges, refundQuota, refusalOf } from './charges.ts';
import { inMemoryBatchQueue, inMemorySlots } from './dispatch.ts';
import { inMemoryJobs } from './jobs.ts';
import { inPages } from './pages.ts';
import { inMemoryPatchBatches } from './patch-batches.ts';
import { live, requireBatch, type State } from './state.ts';

export interface Stores {
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly patchBatches: PatchBatchStore;
  readonly outbox: { read(batchId: string): Promise<OutboxEvent | null> };
  readonly busOutbox: BusOutbox;
  readonly quotas: Quotas;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly slots: Slots;
  readonly batchQueue: BatchQueue;
}

export function inMemoryStores(clock: Clock): Stores & { readonly batchIndex: BatchIndex } {
  const batches = new Map<string, Batch>();
  const state: State = {
    charges: inMemoryCharges(clock),
    batches,
    metadata: new Map(),
    retries: new Map(),
    outbox: new Map(),
    busEvents: new Map(),
    jobs: new Map(),
    plans: new Map(),
    patchBatches: new Map(),
    isLive: (batchId) => {
      const batch = batches.get(batchId);
      return batch !== undefined && Date.parse(batch.resultsExpireAt) > clock().getTime();
    },
  };
  return {
    batches: batchStore(state),
    jobs: inMemoryJobs(state),
    patchBatches: inMemoryPatchBatches(state),
    busOutbox: inMemoryBusOutbox(state.busEvents),
    outbox: { read: async (batchId) => state.outbox.get(batchId) ?? null },
    quotas: state.charges.quotas,
    idempotencyKeys: state.charges.idempotencyKeys,
    slots: inMemorySlots(state.batches),
    batchQueue: inMemoryBatchQueue(),
    batchIndex: inMemoryBatchIndex(() => [...batches.values()]),
  };
}

function batchStore(state: State): BatchStore {
  const move = (batchId: string, next: BatchState, at: string): void => {
    const batch = state.batches.get(batchId);
    if (batch === undefined) return;
    const { slot, ...rest } = batch;
    const kept = slot === undefined || 'completedAt' in next ? {} : { slot };
    state.batches.set(batchId, { ...rest, ...kept, state: next, updatedAt: at });
  };
  const read = (batchId: string) => live(state, batchId, state.batches.get(batchId));
  const readMetadata = (batchId: string) => live(state, batchId, state.metadata.get(batchId));
  return {
    async create(batch, metadata, charge) {
      const refusal = charge === undefined ? null : refusalOf(state.charges, batch, charge);
      if (refusal !== null) return refusal;
      if (state.batches.has(batch.batchId))
        throw new Error(`batch ${batch.batchId} already exists`);
      const retry = state.retries.get(batch.retryOf ?? '');
      if (retry !== undefined && retry.batchId !== batch.batchId) {
        throw new TransientFailure('another retry replaced this one');
      }
      if (charge !== undefined) chargeQuota(state.charges, batch, charge);
      state.batches.set(batch.batchId, batch);
      if (metadata !== null) state.metadata.set(batch.batchId, metadata);
      return 'created';
    },
    read: async (batchId) => read(batchId),
    readAll: async (batchIds) => batchIds.map(read),
    readMetadata: async (batchId) => readMetadata(batchId),
    readAllMetadata: async (batchIds) => batchIds.map(readMetadata),
    async start(batchId, at) {
      const pending = state.batches.get(batchId)?.state.status === 'pending';
      if (pending) move(batchId, { status: 'processing', startedAt: at }, at);
    },
    async requestCancel(batchId, at) {
      const batch = state.batches.get(batchId);
      if (batch === undefined || isFinal(batch.state)) return 'unchanged';
      const cancelRequestedAt = batch.cancelRequestedAt ?? at;
      state.batches.set(batchId, { ...batch, cancelRequestedAt, updatedAt: at });
      return 'changed';
    },
    async claimRetry(batchId, claim, abandoned) {
      requireBatch(state, batchId);
      const recorded = state.retries.get(batchId);
      if (recorded !== undefined && recorded.batchId !== abandoned) return recorded;
      if (recorded !== undefined && state.batches.has(recorded.batchId)) return recorded;
      state.retries.set(batchId, claim);
      return claim;
    },
    async claimRestart(batchId, restarts, at) {
      const batch = state.batches.get(batchId);
      if (batch === undefined || isFinal(batch.state)) return 'unchanged';
      if (batch.cancelRequestedAt !== undefined) return 'unchanged';
      if ((batch.restarts ?? 0) !== restarts) return 'unchanged';
      state.batches.set(batchId, { ...batch, restarts: restarts + 1, updatedAt: at });
      return 'changed';
    },
    async finish(batchId, { busEvent, updatedAt, ...end }, event, refund = null) {
      const before = state.batches.get(batchId)?.state;
      if (before === undefined || isFinal(before)) return 'already-final';
      const startedAt = before.status === 'processing' ? before.startedAt : null;
      move(batchId, { ...end, startedAt }, updatedAt);
      if (event !== null) state.outbox.set(batchId, event);
      if (busEvent !== undefined) state.busEvents.set(batchId, busEvent);
      if (refund !== null) refundQuota(state.charges, refund);
      return 'finished';
    },
    unfinished: ({ from = '', before }, after) => {
      const open = [...state.batches.values()]
        .filter(({ state: { status } }) => status === 'pending' || status === 'processing')
        .filter(({ createdAt }) => createdAt >= from && createdAt < before)
        .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
      return inPages(
        open.map(({ batchId }) => batchId),
        after,
      );
    },
  };
}

/** Newest first; equal times are ordered by id, as a sort key is. */
export function inMemoryBatchIndex(batches: () => readonly Batch[]): BatchIndex {
  return {
    async newestAfter(tenant, { from, before }, after, count) {
      return batches()
        .filter((batch) => batch.tenant === tenant)
        .map(({ createdAt, batchId }) => ({ createdAt, batchId }))
        .filter(({ createdAt }) => from === undefined || createdAt >= from)
        .filter(({ createdAt }) => before === undefined || createdAt < before)
        .filter((position) => after === null || inOrder(after, position) < 0)
        .sort(inOrder)
        .slice(0, count);
    },
  };
}

function inOrder(a: BatchPosition, b: BatchPosition): number {
  return b.createdAt.localeCompare(a.createdAt) || b.batchId.localeCompare(a.batchId);
}
