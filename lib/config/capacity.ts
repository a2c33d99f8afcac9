import * as z from 'zod';
import { LIMITS } from '../../lambdas/domain/limits.ts';

/** Lambda: 128 to 10,240 MB; one full CPU from 1,769 MB on. */
const memoryMb = z.number().int().min(128).max(10_240);

/** Open map runs of an account: a hard quota of Step Functions. */
const OPEN_MAP_RUNS = 1_000;

/** An account's default in a region: 10,000 requests a second, bursts of 5,000. */
const throttle = z.strictObject({
  requestsPerSecond: z.number().int().min(1).max(10_000),
  burst: z.number().int().min(1).max(5_000),
});

/** How much of the account the service may take, and so how fast it is. */
export const capacity = {
  /**
   * Batches that run at a time; the others wait for their turn. Each is one open map run, of which an
   * account has 1,000.
   */
  runningBatches: z
    .strictObject({
      /** Of all tenants. */
      inAll: z.number().int().min(1).max(OPEN_MAP_RUNS),
      /** Of each tenant for which nothing else was set. */
      perTenant: z.number().int().min(1).max(OPEN_MAP_RUNS),
    })
    .refine(({ inAll, perTenant }) => perTenant <= inAll, {
      path: ['perTenant'],
      error: 'must be at most inAll',
    }),
  concurrency: z.strictObject({
    /** Jobs of a batch at a time. A distributed map runs 10,000 children, an account 1,000 functions. */
    jobs: z.number().int().min(1).max(LIMITS.jobsPerBatch),
    /** Shares of a job's patch-batches at a time. An inline map runs about 40 iterations at once. */
    patchBatches: z.number().int().min(1).max(40),
  }),
  memoryMb: z.strictObject({
    api: memoryMb,
    plan: memoryMb,
    predict: memoryMb,
    assemble: memoryMb,
    deliver: memoryMb,
  }),
  /** Of each operation, over all tenants; of creations by themselves, which cost most. */
  throttling: z.strictObject({ ...throttle.shape, creations: throttle }),
};
