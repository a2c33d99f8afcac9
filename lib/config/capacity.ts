import * as z from 'zod';
import { LIMITS } from '../../lambdas/domain/limits.ts';

/** Lambda allows 128 to 10,240 MB, and gives one full vCPU from 1,769 MB. */
const memoryMb = z.number().int().min(128).max(10_240);

const tableUnits = z.int().min(100).max(40_000);

/** The hard Step Functions quota for an account's open map runs. */
const OPEN_MAP_RUNS = 1_000;

/** API Gateway's default quota per account and Region is 10,000 requests per second, with bursts of 5,000. */
const throttle = z.strictObject({
  requestsPerSecond: z.number().int().min(1).max(10_000),
  burst: z.number().int().min(1).max(5_000),
});

/** Lambda rejects a reservation that would leave less unreserved concurrency than this. */
export const LEAST_UNRESERVED = 100;

export function countConcurrentPredictions({
  runningBatches: { inAll },
  concurrency: { jobs, patchBatches },
}: {
  readonly runningBatches: { readonly inAll: number };
  readonly concurrency: { readonly jobs: number; readonly patchBatches: number };
}): number {
  return inAll * jobs * patchBatches;
}

export function countReservedPredictions(
  stage: Parameters<typeof countConcurrentPredictions>[0] & {
    readonly concurrency: { readonly reservePredictions?: boolean | undefined };
  },
): number {
  return stage.concurrency.reservePredictions ? countConcurrentPredictions(stage) : 0;
}

export const capacity = {
  /**
   * Batches that run concurrently; others are queued. Each batch of several jobs, or with a destination, uses an open
   * map run.
   */
  runningBatches: z
    .strictObject({
      inAll: z.number().int().min(1).max(OPEN_MAP_RUNS),
      /** Slots reserved for tenants that run no batch (`mayTakeSlot`). */
      reserved: z.number().int().min(0).default(0),
      perTenant: z.number().int().min(1).max(OPEN_MAP_RUNS),
    })
    .refine(({ inAll, reserved, perTenant }) => perTenant <= inAll - reserved, {
      path: ['perTenant'],
      error: 'must be at most inAll - reserved',
    }),
  concurrency: z.strictObject({
    /** Concurrent jobs of a batch. A distributed map runs up to 10,000 children. */
    jobs: z.number().int().min(1).max(LIMITS.jobsPerBatch),
    /** Concurrent shares of a job. An inline map runs at most about 40 iterations concurrently. */
    patchBatches: z.number().int().min(1).max(40),
    /**
     * Reserves Lambda concurrency for the predictions that may run concurrently, and limits them to it. The remaining
     * concurrency is left to the API and the account's other functions, which cannot use the reserved part. The
     * authorizer has no reservation, because a reservation is also a limit, beyond which the gateway would respond with
     * 500.
     */
    reservePredictions: z.boolean().optional(),
  }),
  /**
   * The maximum of request units per second, for the table and for each index. The limit bounds what an endless loop in
   * the service would cost. AWS treats it as a target rather than an exact limit. An account's default quota is 40,000:
   * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode-max-throughput.html
   */
  table: z.strictObject({ readUnits: tableUnits, writeUnits: tableUnits }),
  memoryMb: z.strictObject({
    api: memoryMb,
    plan: memoryMb,
    predict: memoryMb,
    assemble: memoryMb,
    deliver: memoryMb,
  }),
  /** Requests for covariates at HTTPS URLs, per host and per instance of the planning and prediction functions. */
  covariateRequests: z.strictObject({
    atOnce: z.int().min(1).max(64),
    perSecond: z.int().min(1).max(1_000),
    /** How a publisher can reach the operator; if it is set, every request includes it. */
    contact: z
      .union([z.email().max(254), z.url({ protocol: /^https$/ }).regex(/^[!-~]{1,200}$/)], {
        error: 'must be an e-mail address or an https:// URL',
      })
      .optional(),
  }),
  /**
   * Limits for each method of a gateway resource, over all tenants. Operations that share a resource, such as reads of
   * batches, share a limit; each of `OWN_ROUTES` (`lib/api/routes.ts`) has its own limit. The limit of creations is set
   * separately, because they cost most.
   */
  throttling: z.strictObject({ ...throttle.shape, creations: throttle }),
};
