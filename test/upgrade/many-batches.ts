import type { StageConfig } from '../../lib/config/stage-config.ts';

/** So many batches run at a time, each with few functions. */
export const BATCHES = 20;

export const manyBatches = (local: StageConfig): StageConfig => ({
  ...local,
  runningBatches: { inAll: BATCHES, perTenant: BATCHES },
  concurrency: { jobs: 1, patchBatches: 1 },
});
