import { requestsAtOnce } from '../../domain/admission/request-rate.ts';
import { verticesThatFit } from '../../domain/admission/vertices-that-fit.ts';
import { LIMITS, SIGNED_URL_SECONDS } from '../../domain/limits.ts';
import type { TenantLimits } from '../../domain/tenant/tenant-limits.ts';
import type { LimitsResponse } from './limits.ts';

/** What the stage is configured with. */
export interface Configured {
  readonly retentionDays: number;
  /** Of a tenant for which nothing else was set. */
  readonly runningBatches: number;
}

/** The limits on the wire, from the constants that are enforced and what holds for the tenant. */
export function limitsView(
  { hectaresPerJob, requestsPerMinute, runningBatches }: TenantLimits,
  configured: Configured,
): LimitsResponse {
  return {
    jobs_per_batch: LIMITS.jobsPerBatch,
    body_bytes: LIMITS.bodyBytes,
    metadata_bytes: LIMITS.metadataBytes,
    json_depth: LIMITS.jsonDepth,
    name_characters: LIMITS.nameCharacters,
    webhook_url_characters: LIMITS.webhookUrlCharacters,
    webhook_secret_bytes: LIMITS.webhookSecretBytes,
    vertices_per_job: LIMITS.verticesPerJob,
    vertices_per_job_in_full_batch: verticesThatFit(LIMITS.jobsPerBatch),
    hectares_per_job: hectaresPerJob,
    patch_batches_per_job: LIMITS.patchBatchesPerJob,
    page_size: LIMITS.pageSize,
    batches_page_size: LIMITS.batchesPage,
    requests_per_minute: requestsPerMinute,
    requests_at_once: requestsAtOnce(requestsPerMinute),
    estimate_seconds: LIMITS.estimateSeconds,
    signed_url_seconds: SIGNED_URL_SECONDS,
    running_batches: runningBatches ?? configured.runningBatches,
    retention_days: configured.retentionDays,
  };
}
