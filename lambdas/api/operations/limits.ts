import * as z from 'zod/mini';
import { requestsAtOnce } from '../../domain/admission/request-rate.ts';
import { formatExternalId, type ServiceTrust } from '../../domain/destination/destination.ts';
import { LIMITS, SIGNED_URL_SECONDS, verticesThatFit } from '../../domain/limits.ts';
import { limitsOf, type TenantLimits, type TenantRecords } from '../../domain/tenant/tenant.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { readQuery } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { revalidated } from '../http/response.ts';
import { named } from '../specification/published.ts';
import limits from './examples/limits.json' with { type: 'json' };

const amount = z.int().check(z.positive());

export const limitsResponse = named(
  'Limits',
  z.strictObject({
    jobs_per_batch: amount.check(z.describe('Jobs in one batch')),
    body_bytes: amount.check(z.describe('Bytes in a request body after decompression')),
    metadata_bytes: amount.check(z.describe('Bytes in `metadata` as UTF-8 text')),
    properties_bytes: amount.check(
      z.describe('Bytes in a job’s `properties` as JSON without white space'),
    ),
    json_depth: amount.check(
      z.describe('Nesting levels of arrays and objects in `metadata` and `properties`'),
    ),
    name_characters: amount.check(z.describe('Characters in the `name` of a job or batch')),
    webhook_url_characters: amount.check(z.describe('Characters in `webhook_url`')),
    webhook_secret_bytes: amount.check(z.describe('Bytes in `webhook_secret` as UTF-8')),
    vertices_per_batch: amount.check(
      z.describe('Vertices in all polygons of one batch together; a body with more gets 422'),
    ),
    vertices_per_job: amount.check(z.describe('Vertices in all rings of one job’s polygon')),
    vertices_per_job_in_full_batch: amount.check(
      z.describe(
        'Vertices that each polygon may have if one body contains `jobs_per_batch` polygons, written with 6 decimals of a degree (0.1 m) and without white space',
      ),
    ),
    hectares_per_job: amount.check(
      z.describe('Charged area of one job, in hectares, for your tenant'),
    ),
    charged_width_metres: amount.check(
      z.describe('A job is charged at least the perimeter of its polygon × this width'),
    ),
    charged_square_metres_per_ring: amount.check(
      z.describe(
        'A job is charged at least this area for each ring of its polygon, holes included',
      ),
    ),
    grid_crossings_per_job: amount.check(
      z.describe('Times that the outline of one job’s polygon may cross lines of the model’s grid'),
    ),
    patch_batches_per_job: amount.check(
      z.describe('Patch-batches into which one job may be split'),
    ),
    page_size: z
      .strictObject({ default: amount, max: amount })
      .check(z.describe('Jobs or patch-batches on one page')),
    batches_page_size: z
      .strictObject({ default: amount, max: amount })
      .check(z.describe('Batches on one page')),
    requests_per_minute: amount.check(
      z.describe(
        'Requests per minute over all keys of your tenant and all operations that require a key; more get 429 `throttled`. Large creations, estimates and totals, creations with a `destination`, and requests to copy missing results count as several requests; the descriptions of these operations say how many',
      ),
    ),
    requests_at_once: amount.check(
      z.describe('How many of these requests may be sent in one burst after a pause'),
    ),
    running_batches: amount.check(
      z.describe('Batches of your tenant that run concurrently; others are queued as `pending`'),
    ),
    estimate_seconds: amount.check(
      z.describe('Seconds of CPU time after which an estimate stops planning jobs'),
    ),
    signed_url_seconds: amount.check(z.describe('Seconds for which a signed URL is valid')),
    retention_days: amount.check(
      z.describe('Days from the creation of a batch to its `results_expire_at`'),
    ),
    prefix_characters: amount.check(z.describe('Characters of a destination’s `prefix`')),
    copy_requests_per_batch: amount.check(
      z.describe('How many times a copy of the missing results may be requested for one batch'),
    ),
    destination: z
      .strictObject({
        external_id: z.string().check(z.describe('Identifies your tenant; never changes')),
        trust_policy: z
          .record(z.string(), z.unknown())
          .check(z.describe('The role’s trust policy')),
      })
      .check(z.describe('External ID and trust policy for the role of a `destination`')),
  }),
);

export type LimitsResponse = z.infer<typeof limitsResponse>;

export const limitsDefinition = {
  operationId: 'getLimits',
  tag: 'Service',
  summary: 'Limits',
  description: 'The limits of a request, and how long results are kept.',
  parameters: ['ifNoneMatch'],
  response: {
    status: 200,
    description: 'The limits in force',
    headers: ['ETag', 'Cache-Control'],
    content: { schema: limitsResponse, example: limits },
  },
  problems: [],
} as const satisfies OperationDefinition;

interface ConfiguredLimits {
  readonly retentionDays: number;
  /** For tenants without an individual limit. */
  readonly runningBatches: number;
}

export interface LimitsPorts extends ConfiguredLimits {
  readonly tenants: Pick<TenantRecords, 'find'>;
  readonly trust: ServiceTrust;
}

export function limitsOperation({ tenants, trust, ...configured }: LimitsPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const tenant = tenantOf(request);
    const ofTenant = limitsOf(await tenants.find(tenant));
    const roleTrust = describeTrust(trust, tenant);
    return revalidated(request, limitsView(ofTenant, configured, roleTrust));
  };
}

export function limitsView(
  { hectaresPerJob, requestsPerMinute, runningBatches }: TenantLimits,
  configured: ConfiguredLimits,
  destination: LimitsResponse['destination'],
): LimitsResponse {
  return {
    jobs_per_batch: LIMITS.jobsPerBatch,
    body_bytes: LIMITS.bodyBytes,
    metadata_bytes: LIMITS.metadataBytes,
    properties_bytes: LIMITS.propertiesBytes,
    json_depth: LIMITS.jsonDepth,
    name_characters: LIMITS.nameCharacters,
    webhook_url_characters: LIMITS.webhookUrlCharacters,
    webhook_secret_bytes: LIMITS.webhookSecretBytes,
    vertices_per_batch: LIMITS.verticesPerBatch,
    vertices_per_job: LIMITS.verticesPerJob,
    vertices_per_job_in_full_batch: verticesThatFit(LIMITS.jobsPerBatch),
    hectares_per_job: hectaresPerJob,
    charged_width_metres: LIMITS.chargedWidthMetres,
    charged_square_metres_per_ring: LIMITS.chargedSquareMetresPerRing,
    grid_crossings_per_job: LIMITS.gridCrossingsPerJob,
    patch_batches_per_job: LIMITS.patchBatchesPerJob,
    page_size: LIMITS.pageSize,
    batches_page_size: LIMITS.batchesPage,
    requests_per_minute: requestsPerMinute,
    requests_at_once: requestsAtOnce(requestsPerMinute),
    estimate_seconds: LIMITS.estimateCpuSeconds,
    signed_url_seconds: SIGNED_URL_SECONDS,
    running_batches: runningBatches ?? configured.runningBatches,
    retention_days: configured.retentionDays,
    prefix_characters: LIMITS.prefixCharacters,
    copy_requests_per_batch: LIMITS.copyRequestsPerBatch,
    destination,
  };
}

export function describeTrust(trust: ServiceTrust, tenant: string): LimitsResponse['destination'] {
  const externalId = formatExternalId(trust, tenant);
  const statement = {
    Effect: 'Allow',
    Principal: { AWS: trust.principal },
    Action: 'sts:AssumeRole',
    Condition: { StringEquals: { 'sts:ExternalId': externalId } },
  };
  return {
    external_id: externalId,
    trust_policy: { Version: '2012-10-17', Statement: [statement] },
  };
}
