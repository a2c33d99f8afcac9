import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import { memoized } from '../../adapters/memoized.ts';
import {
  type Allowance,
  type Amount,
  dayOf,
  inHectares,
  readAllowance,
  remainingOf,
  type TenantQuotaPorts,
} from '../../domain/admission/quota.ts';
import { requestsAtOnce } from '../../domain/admission/request-rate.ts';
import { type Clock, timestamp } from '../../domain/clock.ts';
import { type ReadDeliveriesPorts, readDeliveries } from '../../domain/delivery/read-deliveries.ts';
import { LIMITS, SIGNED_URL_SECONDS, verticesThatFit } from '../../domain/limits.ts';
import {
  type ReadPatchBatchPorts,
  readPatchBatch,
} from '../../domain/patch-batch/read-patch-batch.ts';
import type { TenantLimits } from '../../domain/tenant/tenant.ts';
import { limitsOf, type TenantRecords } from '../../domain/tenant/tenant.ts';
import { qgisStyle } from '../../drawing/qgis-style.ts';
import type { ModelsResponse } from '../definitions/models-response.ts';
import { type LimitsResponse, QML, type UsageResponse } from '../definitions/tenant.ts';
import type { Builders } from '../handling/built-with.ts';
import type { Operation } from '../handling/handle.ts';
import {
  batchNotFound,
  jobNotFound,
  modelNotFound,
  patchBatchNotFound,
} from '../problems/not-found.ts';
import { readBand } from '../requests/band-parameter.ts';
import { readPatchBatchIdx } from '../requests/parameters.ts';
import { readId, readQuery } from '../requests/query.ts';
import { tenantOf } from '../requests/request.ts';
import { pollAgain, revalidated, revalidatedText } from '../responses/response.ts';
import { listBatchesOperation } from './batch/list-batches.ts';
import { modelView } from './tenant/model-view.ts';

/** Operations that read what the table and the packs hold. */
export const READS = {
  'list-batches': listBatchesOperation,
  'patch-batch-status': patchBatchStatusOperation,
  'batch-deliveries': batchDeliveriesOperation,
  usage: usageOperation,
  limits: limitsOperation,
  models: modelsOperation,
  'model-style': modelStyleOperation,
} as const satisfies Builders;

export function patchBatchStatusOperation(ports: ReadPatchBatchPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const reading = await readPatchBatch(
      ports,
      tenantOf(request),
      readId(request, 'batch_id'),
      readId(request, 'job_id'),
      readPatchBatchIdx(request.pathParameter('patch_batch_idx')),
    );
    switch (reading.kind) {
      case 'batch-unknown':
        throw batchNotFound();
      case 'job-unknown':
        throw jobNotFound();
      case 'patch-batch-unknown':
        throw patchBatchNotFound(reading.total);
      case 'patch-batch': {
        const { status } = reading.patchBatch;
        const finished = status === 'completed' || status === 'failed';
        return revalidated(request, reading.patchBatch, pollAgain(finished));
      }
    }
  };
}

export function batchDeliveriesOperation(ports: ReadDeliveriesPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const reading = await readDeliveries(ports, tenantOf(request), readId(request, 'batch_id'));
    if (reading === null) throw batchNotFound();
    return revalidated(request, reading.deliveries, pollAgain(reading.settled));
  };
}

export function usageOperation(ports: TenantQuotaPorts & { readonly clock: Clock }): Operation {
  return async (request) => {
    readQuery(request, []);
    const today = dayOf(timestamp(ports.clock()));
    const allowance = await readAllowance(ports, tenantOf(request), today);
    return revalidated(request, usageView(allowance));
  };
}

export function usageView(allowance: Allowance): UsageResponse {
  const { day, limit, used, refunded, resetsAt } = allowance;
  const remaining = remainingOf(allowance);
  const row = (of: (amount: Amount) => number) => ({
    limit: of(limit),
    used: of(used),
    remaining: of(remaining),
    given_back: of(refunded),
  });
  return {
    day,
    resets_at: resetsAt,
    jobs: row(({ jobs }) => jobs),
    hectares: row(({ squareMetres }) => inHectares(squareMetres)),
  };
}

export interface LimitsPorts {
  readonly tenants: Pick<TenantRecords, 'find'>;
  /** The configuration of the stage. */
  readonly configured: {
    readonly retentionDays: number;
    /** For tenants without a limit of their own. */
    readonly runningBatches: number;
  };
}

export function limitsOperation({ tenants, configured }: LimitsPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const ofTenant = limitsOf(await tenants.find(tenantOf(request)));
    return revalidated(request, limitsView(ofTenant, configured));
  };
}

/** The limits in the response, from the enforced constants and the tenant's own limits. */
export function limitsView(
  { hectaresPerJob, requestsPerMinute, runningBatches }: TenantLimits,
  configured: LimitsPorts['configured'],
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
  };
}

export interface ModelsPorts {
  /** The operations read only the manifests of the packs. */
  readonly catalogue: () => Promise<PackCatalogue>;
}

export function modelsOperation({ catalogue }: ModelsPorts): Operation {
  const response = memoized(async (): Promise<ModelsResponse> => {
    const { packs } = await catalogue();
    return { models: packs.map(({ ref, manifest }) => modelView(ref, manifest)) };
  });
  return async (request) => {
    readQuery(request, []);
    return revalidated(request, await response());
  };
}

export function modelStyleOperation({ catalogue }: ModelsPorts): Operation {
  return async (request) => {
    const query = readQuery(request, ['band']);
    // Some clients encode the `@` of `id@version`.
    const model = request.pathParameter('model').replace(/%40/i, '@');
    const [pack] = (await catalogue()).named(model);
    if (pack === undefined) throw modelNotFound();
    const band = readBand(pack.manifest, query.band);
    return revalidatedText(request, QML, qgisStyle(pack.manifest, band), {
      'Content-Disposition': `attachment; filename="${pack.ref}_${band.name}.qml"`,
    });
  };
}
