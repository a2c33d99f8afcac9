import type { JobState, JobStore } from '../../lambdas/domain/job/job.ts';
import { jobName, live, requireBatch, type State } from './state.ts';

export function inMemoryJobs(state: State): JobStore {
  const { jobs } = state;
  const end = (batchId: string, index: number, next: JobState, at: string) => {
    const name = jobName(batchId, index);
    const fresh = { index, model: null, progress: null, warnings: [] };
    jobs.set(name, { ...(jobs.get(name) ?? fresh), state: next, updatedAt: at });
    return 'changed' as const;
  };
  const list = async (batchId: string) => {
    if (!state.isLive(batchId)) return [];
    return [...jobs.entries()]
      .filter(([name]) => name.startsWith(`${batchId}/`))
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([, job]) => job);
  };
  return {
    list,
    listCounted: list,
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
    async registerUpload(batchId, index, uploadId, at) {
      const job = jobs.get(jobName(batchId, index));
      if (job?.state.status !== 'processing') return 'unchanged';
      const uploads = [...(job.uploads ?? []), uploadId];
      jobs.set(jobName(batchId, index), { ...job, uploads, updatedAt: at });
      return 'changed';
    },
    async complete(batchId, index, at, { summary, ...result }) {
      const job = jobs.get(jobName(batchId, index));
      if (job?.state.status !== 'processing') return 'unchanged';
      const use = job.use === undefined ? {} : { use: { ...job.use, rasterBytes: result.bytes } };
      jobs.set(jobName(batchId, index), {
        ...job,
        ...use,
        result,
        ...(summary === undefined ? {} : { summary }),
      });
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
