import { LIMITS } from '../limits.ts';

/** What one tenant may ask for; each number can be set for a tenant by itself. */
export interface TenantLimits {
  readonly jobsPerDay: number;
  /** Charged area, in whole hectares. */
  readonly hectaresPerDay: number;
  /** Charged area of one job, in whole hectares. */
  readonly hectaresPerJob: number;
  /** Of any kind; at least 1. */
  readonly requestsPerMinute: number;
  /** Batches that run at a time; by default what the stage is configured with. */
  readonly runningBatches?: number;
}

/** Of a tenant for which nothing else was set: no AWS limits, but what one day's bill may be. */
export const DEFAULT_TENANT_LIMITS: TenantLimits = {
  jobsPerDay: LIMITS.jobsPerDay,
  hectaresPerDay: LIMITS.hectaresPerDay,
  hectaresPerJob: LIMITS.hectaresPerJob,
  requestsPerMinute: LIMITS.requestsPerMinute,
};
