import { LIMITS } from '../limits.ts';

/** Limits of one tenant; each can be set per tenant. */
export interface TenantLimits {
  readonly jobsPerDay: number;
  /** Charged area, in whole hectares. */
  readonly hectaresPerDay: number;
  /** Charged area of one job, in whole hectares. */
  readonly hectaresPerJob: number;
  /** Requests of any kind; at least 1. */
  readonly requestsPerMinute: number;
  /** Batches that run concurrently; by default what the stage configures. */
  readonly runningBatches?: number;
}

/** The default limits. Not AWS limits: they bound one day's bill. */
export const DEFAULT_TENANT_LIMITS: TenantLimits = {
  jobsPerDay: LIMITS.jobsPerDay,
  hectaresPerDay: LIMITS.hectaresPerDay,
  hectaresPerJob: LIMITS.hectaresPerJob,
  requestsPerMinute: LIMITS.requestsPerMinute,
};
