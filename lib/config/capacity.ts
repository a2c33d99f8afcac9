import * as z from 'zod';
import { LIMITS } from '../../lambdas/domain/limits.ts';

/** Lambda: 128 to 10,240 MB; one full vCPU from 1,769 MB. */
const memoryMb = z.number().int().min(128).max(10_240);

const tableUnits = z.int().min(100).max(40_000);

/** Open map runs of an account: a hard quota of Step Functions. */
const OPEN_MAP_RUNS = 1_000;

/** API Gateway's default quota per account and Region: 10,000 requests per second, bursts of 5,000. */
const throttle = z.strictObject({
  requestsPerSecond: z.number().int().min(1).max(10_000),
  burst: z.number().int().min(1).max(5_000),
});

/** Lambda rejects a reservation that would leave fewer unreserved. */
export const LEAST_UNRESERVED = 100;

/** How many predictions of a stage may run at the same time. */
export function countConcurrentPredictions({
  runningBatches: { inAll },
  concurrency: { jobs, patchBatches },
}: {
  readonly runningBatches: { readonly inAll: number };
  readonly concurrency: { readonly jobs: number; readonly patchBatches: number };
}): number {
  return inAll * jobs * patchBatches;
}

/** How much Lambda concurrency of the account a stage reserves. */
export function countReservedPredictions(
  stage: Parameters<typeof countConcurrentPredictions>[0] & {
    readonly concurrency: { readonly reservePredictions?: boolean | undefined };
  },
): number {
  return stage.concurrency.reservePredictions ? countConcurrentPredictions(stage) : 0;
}

/** How much of the account's capacity the service may use. */
export const capacity = {
  /**
   * Batches that run at the same time; the others are queued. Each of several jobs uses an open map run,
   * of which an account has 1,000.
   */
  runningBatches: z
    .strictObject({
      /** Limit for all tenants together. */
      inAll: z.number().int().min(1).max(OPEN_MAP_RUNS),
      /** Slots reserved for tenants that run no batch (`mayTakeSlot`). */
      reserved: z.number().int().min(0).default(0),
      /** Default limit of a tenant. */
      perTenant: z.number().int().min(1).max(OPEN_MAP_RUNS),
    })
    .refine(({ inAll, reserved, perTenant }) => perTenant <= inAll - reserved, {
      path: ['perTenant'],
      error: 'must be at most inAll - reserved',
    }),
  concurrency: z.strictObject({
    /** Concurrent jobs of a batch. A distributed map runs up to 10,000 children, an account 1,000 functions. */
    jobs: z.number().int().min(1).max(LIMITS.jobsPerBatch),
    /** Concurrent shares of a job. An inline map runs at most about 40 iterations concurrently. */
    patchBatches: z.number().int().min(1).max(40),
    /**
     * Reserves Lambda concurrency for the predictions that may run at the same time, which also limits them.
     * They then take none of the rest, which the API and the account's other functions use, and these take
     * none of theirs. The authorizer has no reservation: it would be a limit, too, beyond which the gateway
     * responds with 500, and requests also need the functions behind it.
     */
    reservePredictions: z.boolean().optional(),
  }),
  /**
   * The most request units a second of the table, and of each of its indexes, which bounds what a loop of our own
   * costs. AWS keeps to it as a target, not to the unit; an account's default quota is 40,000:
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
  /** Requests for covariates at HTTPS URLs, to each host, by each instance of the functions that plan and predict. */
  covariateRequests: z.strictObject({
    atOnce: z.int().min(1).max(64),
    perSecond: z.int().min(1).max(1_000),
    /** How a publisher reaches the operator; every request tells it. */
    contact: z
      .union([z.email().max(254), z.url({ protocol: /^https$/ }).regex(/^[!-~]{1,200}$/)], {
        error: 'must be an e-mail address or an https:// URL',
      })
      .optional(),
  }),
  /**
   * Limits of each method of a gateway's resource, over all tenants: one for all reads of batches, and one each for
   * the routes of `lib/api/routes.ts`. Creations have their own limit, because they cost most.
   */
  throttling: z.strictObject({ ...throttle.shape, creations: throttle }),
};
