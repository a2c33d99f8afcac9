import type { JobUsage } from '../../lambdas/domain/job/job.ts';
import type { PatchBatchStore } from '../../lambdas/domain/patch-batch/patch-batch.ts';
import { jobName, live, requireBatch, type State } from './state.ts';

export function inMemoryPatchBatches(state: State): PatchBatchStore {
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
          : { use: addPredictionTime(job.use, isReused ? 0 : outcome.inferenceDurationMs) }),
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

function addPredictionTime(use: JobUsage, predictionMs: number): JobUsage {
  return { ...use, predictionMs: use.predictionMs + predictionMs };
}
