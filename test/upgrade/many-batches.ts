import type { StageConfig } from '../../lib/config/stage-config.ts';

/** The number of concurrent batches, each with low concurrency. */
export const BATCHES = 20;

export const manyBatches = (local: StageConfig): StageConfig => ({
  ...local,
  runningBatches: { inAll: BATCHES, reserved: 0, perTenant: BATCHES },
  concurrency: { jobs: 1, patchBatches: 1 },
});
