import type { IdempotencyKeys } from '../../../../lambdas/domain/admission/idempotency.ts';
import type { Quotas } from '../../../../lambdas/domain/admission/quota.ts';
import type { Batch, BatchState } from '../../../../lambdas/domain/batch/batch.ts';
import { isFinal } from '../../../../lambdas/domain/batch/batch.ts';
import type { BatchStore } from '../../../../lambdas/domain/batch/batch-store.ts';
import type { Clock } from '../../../../lambdas/domain/clock.ts';
import type { OutboxEvent } from '../../../../lambdas/domain/delivery/outbox.ts';
import type { Slots } from '../../../../lambdas/domain/dispatch/slots.ts';
import type { WaitingLine } from '../../../../lambdas/domain/dispatch/waiting-line.ts';
import type { JobRecord, JobState, JobUse } from '../../../../lambdas/domain/job/job.ts';
import type { JobStore } from '../../../../lambdas/domain/job/job-store.ts';
import type { PatchBatchRecord, Plan } from '../../../../lambdas/domain/patch-batch/patch-batch.ts';
import type { PatchBatchStore } from '../../../../lambdas/domain/patch-batch/patch-batch-store.ts';
import { type Claims, inMemoryClaims, putBack, refusalOf, take } from './claims.ts';
import { inMemorySlots, inMemoryWaitingLine } from './dispatch.ts';
import { inPages } from './pages.ts';

/** The state of a deployment, held in memory under the ports' own conditions. */
export interface Stores {
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly patchBatches: PatchBatchStore;
  readonly outbox: { read(batchId: string): Promise<OutboxEvent | null> };
  readonly quotas: Quotas;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly slots: Slots;
  readonly line: WaitingLine;
}

interface State {
  readonly claims: Claims;
  readonly batches: Map<string, Batch>;
  readonly metadata: Map<string, string>;
  readonly retries: Map<string, string>;
  readonly outbox: Map<string, OutboxEvent>;
  readonly jobs: Map<string, JobRecord>;
  readonly plans: Map<string, Plan>;
  readonly patchBatches: Map<string, PatchBatchRecord>;
  isLive(batchId: string): boolean;
}

export function inMemoryStores(clock: Clock): Stores {
  const batches = new Map<string, Batch>();
  const state: State = {
    claims: inMemoryClaims(clock),
    batches,
    metadata: new Map(),
    retries: new Map(),
    outbox: new Map(),
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
    jobs: jobStore(state),
    patchBatches: patchBatchStore(state),
    outbox: { read: async (batchId) => state.outbox.get(batchId) ?? null },
    quotas: state.claims.quotas,
    idempotencyKeys: state.claims.idempotencyKeys,
    slots: inMemorySlots(state.batches),
    line: inMemoryWaitingLine(),
  };
}

const live = <T>(state: State, batchId: string, item: T | undefined): T | null =>
  item !== undefined && state.isLive(batchId) ? item : null;

function batchStore(state: State): BatchStore {
  const move = (batchId: string, next: BatchState, at: string): void => {
    const batch = state.batches.get(batchId);
    if (batch === undefined) return;
    const { slot, ...rest } = batch;
    const kept = slot === undefined || 'completedAt' in next ? {} : { slot };
    state.batches.set(batchId, { ...rest, ...kept, state: next, updatedAt: at });
  };
  return {
    async create(batch, metadata, claim) {
      const refusal = claim === undefined ? null : refusalOf(state.claims, batch, claim);
      if (refusal !== null) return refusal;
      if (state.batches.has(batch.batchId))
        throw new Error(`batch ${batch.batchId} exists already`);
      if (claim !== undefined) take(state.claims, batch, claim);
      state.batches.set(batch.batchId, batch);
      if (metadata !== null) state.metadata.set(batch.batchId, metadata);
      return 'created';
    },
    read: async (batchId) => live(state, batchId, state.batches.get(batchId)),
    readMetadata: async (batchId) => live(state, batchId, state.metadata.get(batchId)),
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
    async claimRetry(batchId, candidate) {
      requireBatch(state, batchId);
      const retry = state.retries.get(batchId) ?? candidate;
      state.retries.set(batchId, retry);
      return retry;
    },
    async claimRestart(batchId, restarts, at) {
      const batch = state.batches.get(batchId);
      if (batch === undefined || isFinal(batch.state)) return 'unchanged';
      if (batch.cancelRequestedAt !== undefined) return 'unchanged';
      if ((batch.restarts ?? 0) !== restarts) return 'unchanged';
      state.batches.set(batchId, { ...batch, restarts: restarts + 1, updatedAt: at });
      return 'changed';
    },
    async finish(batchId, { status, completedAt }, event, giveBack = null) {
      const before = state.batches.get(batchId)?.state;
      if (before === undefined || isFinal(before)) return 'already-final';
      const startedAt = before.status === 'processing' ? before.startedAt : null;
      move(batchId, { status, startedAt, completedAt }, completedAt);
      if (event !== null) state.outbox.set(batchId, event);
      if (giveBack !== null) putBack(state.claims, giveBack);
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

const jobName = (batchId: string, index: number): string =>
  `${batchId}/${String(index).padStart(6, '0')}`;

/** Items carry their batch's end, so nothing can be written for a batch that is not there. */
function requireBatch(state: State, batchId: string): void {
  if (!state.isLive(batchId)) throw new Error(`batch ${batchId} does not exist`);
}

function jobStore(state: State): JobStore {
  const { jobs } = state;
  const end = (batchId: string, index: number, next: JobState, at: string) => {
    const name = jobName(batchId, index);
    const fresh = { index, model: null, progress: null, warnings: [] };
    jobs.set(name, { ...(jobs.get(name) ?? fresh), state: next, updatedAt: at });
    return 'changed' as const;
  };
  return {
    async list(batchId) {
      if (!state.isLive(batchId)) return [];
      return [...jobs.entries()]
        .filter(([name]) => name.startsWith(`${batchId}/`))
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([, job]) => job);
    },
    read: async (batchId, index) => live(state, batchId, jobs.get(jobName(batchId, index))),
    async begin(batchId, index, { model, warnings, totalPatchBatches, shares, pointCount }, at) {
      requireBatch(state, batchId);
      if (jobs.has(jobName(batchId, index))) return 'unchanged';
      jobs.set(jobName(batchId, index), {
        index,
        state: { status: 'processing' },
        updatedAt: at,
        model,
        warnings,
        use: { shares, predictionMs: 0 },
        progress: {
          totalPatchBatches,
          completedPatchBatches: 0,
          pointCount,
          completedPoints: 0,
          predictedPoints: 0,
        },
      });
      return 'changed';
    },
    async announceUpload(batchId, index, uploadId, at) {
      const job = jobs.get(jobName(batchId, index));
      if (job?.state.status !== 'processing') return 'unchanged';
      const uploads = [...(job.uploads ?? []), uploadId];
      jobs.set(jobName(batchId, index), { ...job, uploads, updatedAt: at });
      return 'changed';
    },
    async complete(batchId, index, at, rasterBytes) {
      const job = jobs.get(jobName(batchId, index));
      if (job?.state.status !== 'processing') return 'unchanged';
      if (job.use !== undefined && rasterBytes !== undefined) {
        jobs.set(jobName(batchId, index), { ...job, use: { ...job.use, rasterBytes } });
      }
      return end(batchId, index, { status: 'completed', completedAt: at }, at);
    },
    async fail(batchId, index, error, at) {
      requireBatch(state, batchId);
      const status = jobs.get(jobName(batchId, index))?.state.status;
      if (status !== undefined && status !== 'processing') return 'unchanged';
      return end(batchId, index, { status: 'failed', completedAt: at, error }, at);
    },
  };
}

function usedMore(use: JobUse, predictionMs: number): JobUse {
  return { ...use, predictionMs: use.predictionMs + predictionMs };
}

function patchBatchStore(state: State): PatchBatchStore {
  const { plans, patchBatches } = state;
  const nameOf = (batchId: string, jobIndex: number, idx: number): string =>
    `${jobName(batchId, jobIndex)}/${idx}`;
  const isOpen = (name: string): boolean =>
    (patchBatches.get(name)?.status ?? 'processing') === 'processing';
  const jobRuns = (batchId: string, jobIndex: number): boolean =>
    state.jobs.get(jobName(batchId, jobIndex))?.state.status === 'processing';
  const times = (name: string, idx: number, at: string) => ({
    idx,
    createdAt: patchBatches.get(name)?.createdAt ?? at,
    updatedAt: at,
  });
  return {
    async writePlan(batchId, jobIndex, plan) {
      requireBatch(state, batchId);
      const winner = plans.get(jobName(batchId, jobIndex)) ?? plan;
      plans.set(jobName(batchId, jobIndex), winner);
      return winner;
    },
    readPlan: async (batchId, jobIndex) =>
      live(state, batchId, plans.get(jobName(batchId, jobIndex))),
    async start(batchId, jobIndex, idx, at) {
      requireBatch(state, batchId);
      const name = nameOf(batchId, jobIndex, idx);
      if (!isOpen(name) || !jobRuns(batchId, jobIndex)) return 'unchanged';
      patchBatches.set(name, { ...times(name, idx, at), status: 'processing' });
      return 'changed';
    },
    async complete(batchId, jobIndex, block, { isReused = false, ...outcome }, at) {
      const name = nameOf(batchId, jobIndex, block.idx);
      const job = state.jobs.get(jobName(batchId, jobIndex));
      if (patchBatches.get(name)?.status !== 'processing') return 'unchanged';
      if (job?.state.status !== 'processing' || job.progress === null) return 'unchanged';
      patchBatches.set(name, { ...times(name, block.idx, at), status: 'completed', ...outcome });
      state.jobs.set(jobName(batchId, jobIndex), {
        ...job,
        updatedAt: at,
        ...(job.use === undefined
          ? {}
          : { use: usedMore(job.use, isReused ? 0 : outcome.inferenceDurationMs) }),
        progress: {
          ...job.progress,
          completedPatchBatches: job.progress.completedPatchBatches + 1,
          completedPoints: job.progress.completedPoints + block.pointCount,
          predictedPoints: job.progress.predictedPoints + outcome.predictedPoints,
        },
      });
      return 'changed';
    },
    async fail(batchId, jobIndex, idx, { code, reason }, at) {
      requireBatch(state, batchId);
      const name = nameOf(batchId, jobIndex, idx);
      if (!isOpen(name) || !jobRuns(batchId, jobIndex)) return 'unchanged';
      patchBatches.set(name, {
        ...times(name, idx, at),
        status: 'failed',
        failureReason: reason,
        failureCode: code,
      });
      return 'changed';
    },
    read: async (batchId, jobIndex, idx) =>
      live(state, batchId, patchBatches.get(nameOf(batchId, jobIndex, idx))),
    async range(batchId, jobIndex, first, end) {
      if (!state.isLive(batchId)) return [];
      return Array.from({ length: Math.max(end - first, 0) }, (_, i) =>
        patchBatches.get(nameOf(batchId, jobIndex, first + i)),
      ).filter((record) => record !== undefined);
    },
  };
}
